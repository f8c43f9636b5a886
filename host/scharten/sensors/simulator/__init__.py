"""The simulated board: a process that speaks the board protocol over a real pty, so that one can play without one."""
