"""Reading: files and data frames become raw columns, which `predictions` judges."""
