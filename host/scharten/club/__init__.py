"""The service of a club's evenings: its journal, the boards that it calls, the pages for organiser, members and TV."""
