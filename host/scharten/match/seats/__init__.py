"""The seats before the game (toss and draw), and the computer's seats."""
