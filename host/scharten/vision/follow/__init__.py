"""From a stream of pictures to throws: motion, hands, darts that stand, light that changes."""
