"""What is allowed: rules over models and over plans, and the consent that lifts some of them."""
