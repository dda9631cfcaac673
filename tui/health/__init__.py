"""What a class needs of the terminal and the machine it is held on: looked at, with what mends it."""
