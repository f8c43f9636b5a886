"""One game from its inputs: the referee, its phases and its clock."""
