"""Files that the page's server makes on the first request: lessons, texts, the reference, boards to print."""
