import os
# #region ring
def ring(rank, world):
    return (rank - 1) % world
# #endregion
