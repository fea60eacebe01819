"""What tests share: populations, collectors, laws, attackers, readers of pages."""
