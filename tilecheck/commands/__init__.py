"""What commands do, loaded when they are called."""
