"""What a club's evenings are: members, presence, draws, results, tables; pure, values in and values out."""
