"""The referee's desk: one thread that takes inputs, steps, stores, acknowledges and publishes."""
