"""A club's evenings: members, presence, draws, results, tables. Pure: values in and values out."""
