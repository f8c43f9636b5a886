"""Who plays here, and what their darts say: the register, the darts out of the journal, and what follows from them."""
