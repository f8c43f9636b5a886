"""Could a side still mate (rules 7): search for a series of turns that ends in mate."""
