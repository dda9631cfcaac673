"""What the scene of the room is made of beside its picture in space."""
