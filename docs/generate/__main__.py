"""Write the generated pages of the reference."""

from docs.generate import write

if __name__ == "__main__":
    print(f"{write()} pages of the reference")
