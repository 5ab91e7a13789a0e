#!/usr/bin/env bash
# Fills the current (empty) folder with a small mixed project. No network.
set -euo pipefail
export LC_ALL=C TZ=UTC
if [ -n "$(ls -A . 2>/dev/null)" ]; then echo "fixture.sh: folder is not empty" >&2; exit 2; fi
have() { command -v "$1" >/dev/null 2>&1; }

mkdir -p stockroom tests/integration scripts web/src web/test csrc config data docs logs archives build/reports build/assets notes templates

# ---------------------------------------------------------------- top level
cat > README.md <<'EOF'
# Stockroom

Small tools around orders, stock and office paperwork of a hardware shop.

## Quick start

```sh
make test
python3 -m stockroom summary data/sales.csv
python3 scripts/report.py --top 5
```

## Layout

| Folder      | Content                              |
|-------------|--------------------------------------|
| `stockroom` | Python package (loader, pricing, cli)|
| `scripts`   | helper scripts                       |
| `web`       | JavaScript front end                 |
| `csrc`      | ring buffer in C                     |
| `data`      | sample data                          |
| `docs`      | handbook, API, minutes               |

See [the handbook](docs/handbook.md), [the API](docs/api.md) and
[the missing page](docs/deployment.md).

## Licence

MIT, see https://example.org/licence
EOF
cat > CHANGELOG.md <<'EOF'
# Changelog

## 0.2.0 - 2024-03-05
- Add volume discounts
- Add JSON export
- Fix rounding of tax amounts

## 0.1.1 - 2024-02-20
- Fix empty file handling in loader

## 0.1.0 - 2024-02-12
- First release
EOF
cat > TODO.md <<'EOF'
# Todo

- [x] Loader for CSV
- [x] Volume discounts
- [ ] Cache exchange rates
- [ ] Write deployment page
- [ ] Replace the legacy export
- [x] Ring buffer in C
- [ ] Translate the handbook
EOF
cat > .gitignore <<'EOF'
build/
logs/
__pycache__/
*.pyc
node_modules/
*.bak
.env
EOF
cat > .editorconfig <<'EOF'
root = true

[*]
indent_style = space
indent_size = 4
end_of_line = lf

[Makefile]
indent_style = tab
EOF
cat > .npmrc <<'EOF'
fund=false
audit=false
update-notifier=false
logs-max=0
EOF
cat > .env.example <<'EOF'
APP_ENV=development
APP_PORT=8080
DB_PATH=data/shop.db
LOG_LEVEL=info
CURRENCY=EUR
EOF
cat > pyproject.toml <<'EOF'
[project]
name = "stockroom"
version = "0.2.0"
description = "Orders, stock and paperwork"
requires-python = ">=3.9"
dependencies = []

[project.scripts]
stockroom = "stockroom.cli:main"

[tool.unittest]
start-directory = "tests"
EOF
cat > package.json <<'EOF'
{
  "name": "stockroom-web",
  "version": "0.2.0",
  "private": true,
  "description": "Front end helpers for the stockroom",
  "main": "web/src/index.js",
  "scripts": {
    "test": "node --test",
    "start": "node web/src/index.js",
    "lint": "node --check web/src/index.js && node --check web/src/format.js && node --check web/src/cart.js",
    "build": "node web/build.js",
    "clean": "rm -rf build/assets",
    "stats": "node web/src/index.js --stats"
  },
  "engines": { "node": ">=18" },
  "dependencies": {},
  "devDependencies": {},
  "license": "MIT"
}
EOF
cat > Makefile <<'EOF'
PYTHON ?= python3
NODE ?= node
VERSION := 0.2.0

.PHONY: all help test test-py test-js lint build dist clean report count

all: test build

help:
	@grep -E '^[a-z-]+:' Makefile | cut -d: -f1 | sort

test: test-py test-js

test-py:
	$(PYTHON) -m unittest discover -s tests -t .

test-js:
	$(NODE) --test

lint:
	@for f in stockroom/*.py scripts/*.py; do $(PYTHON) -c "import ast,sys; ast.parse(open(sys.argv[1]).read())" $$f || exit 1; done
	@echo "lint ok"

build: build/ring.o
	$(PYTHON) scripts/build_site.py --out build

build/ring.o: csrc/ring.c csrc/ring.h
	$(CC) -O1 -g -c -o $@ csrc/ring.c

dist: build
	mkdir -p build/dist
	tar -czf build/dist/stockroom-$(VERSION).tar.gz stockroom scripts README.md

report:
	@$(PYTHON) scripts/report.py --top 10

count:
	@bash scripts/count_loc.sh

clean:
	rm -rf build
EOF

# ---------------------------------------------------------------- python
cat > stockroom/__init__.py <<'EOF'
"""Orders, stock and paperwork of a small shop."""

__version__ = "0.2.0"
EOF
cat > stockroom/__main__.py <<'EOF'
import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
EOF
cat > stockroom/models.py <<'EOF'
"""Plain data classes."""
from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date


@dataclass(frozen=True)
class Product:
    sku: str
    name: str
    category: str
    price: float
    stock: int = 0
    tags: tuple = ()

    def in_stock(self) -> bool:
        return self.stock > 0

    def matches(self, text: str) -> bool:
        text = text.lower()
        return text in self.name.lower() or text in self.sku.lower()


@dataclass
class Order:
    order_id: int
    day: date
    region: str
    sku: str
    quantity: int
    unit_price: float
    channel: str = "shop"

    @property
    def total(self) -> float:
        return round(self.quantity * self.unit_price, 2)

    def is_large(self, limit: float = 500.0) -> bool:
        return self.total >= limit


@dataclass
class Basket:
    orders: list = field(default_factory=list)

    def add(self, order: Order) -> None:
        if order.quantity <= 0:
            raise ValueError("quantity must be positive")
        self.orders.append(order)

    def total(self) -> float:
        return round(sum(o.total for o in self.orders), 2)

    def __len__(self) -> int:
        return len(self.orders)
EOF
cat > stockroom/pricing.py <<'EOF'
"""Discounts and taxes."""

TAX_RATES = {"standard": 0.19, "reduced": 0.07, "none": 0.0}
DISCOUNT_STEPS = [(100, 0.15), (50, 0.10), (10, 0.05)]


def discount_for(quantity):
    """Return the discount rate for a quantity."""
    if quantity < 0:
        raise ValueError("negative quantity")
    for limit, rate in DISCOUNT_STEPS:
        if quantity >= limit:
            return rate
    return 0.0


def net_price(unit_price, quantity):
    """Price of a line after discount, without tax."""
    return round(unit_price * quantity * (1 - discount_for(quantity)), 2)


def tax(amount, kind="standard"):
    # FIXME: rounding per line differs from rounding per invoice
    return round(amount * TAX_RATES[kind], 2)


def gross_price(unit_price, quantity, kind="standard"):
    net = net_price(unit_price, quantity)
    return round(net + tax(net, kind), 2)


def margin(price, cost):
    if price == 0:
        return 0.0
    return round((price - cost) / price, 4)
EOF
cat > stockroom/loader.py <<'EOF'
"""Read orders and products from files."""
import csv
import json
from datetime import date
from pathlib import Path

from .models import Order, Product


class LoadError(Exception):
    pass


def load_orders(path):
    """Return the list of orders in a CSV file."""
    path = Path(path)
    if not path.exists():
        raise LoadError(f"no such file: {path}")
    orders = []
    with path.open(newline="", encoding="utf-8") as handle:
        for row in csv.DictReader(handle):
            orders.append(
                Order(
                    order_id=int(row["order_id"]),
                    day=date.fromisoformat(row["date"]),
                    region=row["region"],
                    sku=row["sku"],
                    quantity=int(row["quantity"]),
                    unit_price=float(row["unit_price"]),
                    channel=row.get("channel", "shop"),
                )
            )
    return orders


def load_products(path):
    """Return a dictionary of products by sku."""
    items = json.loads(Path(path).read_text(encoding="utf-8"))
    return {
        i["sku"]: Product(i["sku"], i["name"], i["category"], i["price"], i["stock"], tuple(i["tags"]))
        for i in items
    }


def iter_events(path):
    # TODO: skip broken lines instead of failing
    with open(path, encoding="utf-8") as handle:
        for line in handle:
            if line.strip():
                yield json.loads(line)
EOF
cat > stockroom/textutil.py <<'EOF'
"""Small text helpers."""
import re
import unicodedata


def slugify(text):
    text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def shorten(text, width=40):
    return text if len(text) <= width else text[: width - 3].rstrip() + "..."


def table(rows, sep="  "):
    """Align a list of rows in columns."""
    rows = [[str(c) for c in r] for r in rows]
    if not rows:
        return ""
    widths = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
    return "\n".join(sep.join(c.ljust(w) for c, w in zip(r, widths)).rstrip() for r in rows)


def word_count(text):
    counts = {}
    for word in re.findall(r"[a-z']+", text.lower()):
        counts[word] = counts.get(word, 0) + 1
    return counts
EOF
cat > stockroom/cli.py <<'EOF'
"""Command line of the stockroom."""
import argparse
import json
import sys
from collections import defaultdict

from . import __version__
from .loader import LoadError, load_orders, load_products
from .pricing import gross_price
from .textutil import table


def cmd_summary(args):
    totals = defaultdict(float)
    for order in load_orders(args.path):
        totals[getattr(order, args.by)] += order.total
    rows = sorted(totals.items(), key=lambda kv: -kv[1])
    if args.json:
        print(json.dumps({str(k): round(v, 2) for k, v in rows}, indent=2))
    else:
        print(table([(k, f"{v:.2f}") for k, v in rows]))
    return 0


def cmd_find(args):
    hits = [p for p in load_products(args.path).values() if p.matches(args.text)]
    for p in hits:
        print(f"{p.sku}\t{p.name}\t{p.price:.2f}\t{p.stock}")
    return 0 if hits else 1


def cmd_price(args):
    print(f"{gross_price(args.unit_price, args.quantity):.2f}")
    return 0


def build_parser():
    parser = argparse.ArgumentParser(prog="stockroom")
    parser.add_argument("--version", action="version", version=__version__)
    sub = parser.add_subparsers(dest="command", required=True)
    p = sub.add_parser("summary", help="totals of an order file")
    p.add_argument("path")
    p.add_argument("--by", default="region", choices=["region", "sku", "channel", "day"])
    p.add_argument("--json", action="store_true")
    p.set_defaults(func=cmd_summary)
    p = sub.add_parser("find", help="search products")
    p.add_argument("text")
    p.add_argument("--path", default="data/products.json")
    p.set_defaults(func=cmd_find)
    p = sub.add_parser("price", help="gross price of a line")
    p.add_argument("unit_price", type=float)
    p.add_argument("quantity", type=int)
    p.set_defaults(func=cmd_price)
    return parser


def main(argv=None):
    args = build_parser().parse_args(argv)
    try:
        return args.func(args)
    except LoadError as exc:
        print(f"error: {exc}", file=sys.stderr)
        return 2
EOF
: > tests/__init__.py
: > tests/integration/__init__.py
cat > tests/test_models.py <<'EOF'
import unittest
from datetime import date

from stockroom.models import Basket, Order, Product


def order(quantity=2, price=10.0):
    return Order(1, date(2024, 3, 1), "north", "A-001", quantity, price)


class ModelTest(unittest.TestCase):
    def test_total(self):
        self.assertEqual(order(3, 1.99).total, 5.97)

    def test_is_large(self):
        self.assertTrue(order(100, 5.0).is_large())
        self.assertFalse(order().is_large())

    def test_basket(self):
        basket = Basket()
        basket.add(order())
        basket.add(order(1, 0.5))
        self.assertEqual(len(basket), 2)
        self.assertEqual(basket.total(), 20.5)

    def test_basket_rejects_zero(self):
        with self.assertRaises(ValueError):
            Basket().add(order(0))

    def test_product_matches(self):
        p = Product("A-001", "Claw Hammer", "tools", 19.9, 4)
        self.assertTrue(p.matches("hammer"))
        self.assertTrue(p.in_stock())
EOF
cat > tests/test_pricing.py <<'EOF'
import unittest

from stockroom import pricing


class PricingTest(unittest.TestCase):
    def test_discount_steps(self):
        for quantity, rate in [(0, 0.0), (9, 0.0), (10, 0.05), (50, 0.10), (100, 0.15)]:
            with self.subTest(quantity=quantity):
                self.assertEqual(pricing.discount_for(quantity), rate)

    def test_negative_quantity(self):
        with self.assertRaises(ValueError):
            pricing.discount_for(-1)

    def test_gross(self):
        self.assertEqual(pricing.gross_price(10.0, 1), 11.9)

    def test_margin(self):
        self.assertEqual(pricing.margin(10, 7.5), 0.25)
        self.assertEqual(pricing.margin(0, 7.5), 0.0)
EOF
cat > tests/test_loader.py <<'EOF'
import tempfile
import unittest
from pathlib import Path

from stockroom.loader import LoadError, load_orders, load_products

ROOT = Path(__file__).resolve().parent.parent


class LoaderTest(unittest.TestCase):
    def test_sample_data(self):
        orders = load_orders(ROOT / "data" / "sales.csv")
        self.assertGreater(len(orders), 300)

    def test_products(self):
        self.assertIn("A-001", load_products(ROOT / "data" / "products.json"))

    def test_missing(self):
        with self.assertRaises(LoadError):
            load_orders("nowhere.csv")

    def test_empty_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "empty.csv"
            path.write_text("")
            self.assertEqual(load_orders(path), [])
EOF
cat > tests/test_textutil.py <<'EOF'
import unittest

from stockroom.textutil import shorten, slugify, table, word_count


class TextTest(unittest.TestCase):
    def test_slugify(self):
        self.assertEqual(slugify("Claw Hammer, 16 oz"), "claw-hammer-16-oz")

    def test_shorten(self):
        self.assertEqual(shorten("a" * 50, 10), "a" * 7 + "...")

    def test_table(self):
        self.assertEqual(table([("a", 1), ("bbb", 22)]), "a    1\nbbb  22")
        self.assertEqual(table([]), "")

    def test_word_count(self):
        self.assertEqual(word_count("To be or not to be")["be"], 2)

    @unittest.skip("needs the legacy export")
    def test_legacy(self):
        self.fail()
EOF
cat > tests/integration/check_totals.py <<'EOF'
"""Known to fail: rounding per line differs from rounding per invoice."""
import unittest

from stockroom.pricing import tax


class TotalsTest(unittest.TestCase):
    def test_tax_of_lines_equals_tax_of_sum(self):
        lines = [0.03, 0.03, 0.03, 1.13]
        self.assertEqual(sum(tax(x) for x in lines), tax(sum(lines)))

    def test_zero(self):
        self.assertEqual(tax(0), 0)
EOF

# ---------------------------------------------------------------- scripts
cat > scripts/report.py <<'EOF'
#!/usr/bin/env python3
"""Print the best selling articles."""
import argparse
import csv
from collections import Counter
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "data"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--top", type=int, default=5)
    parser.add_argument("--region")
    parser.add_argument("--file", default=str(DATA / "sales.csv"))
    args = parser.parse_args()
    revenue = Counter()
    with open(args.file, newline="") as handle:
        for row in csv.DictReader(handle):
            if args.region and row["region"] != args.region:
                continue
            revenue[row["sku"]] += int(row["quantity"]) * float(row["unit_price"])
    print(f"Top {args.top} articles" + (f" in {args.region}" if args.region else ""))
    for rank, (sku, amount) in enumerate(revenue.most_common(args.top), 1):
        print(f"{rank:3d}. {sku}  {amount:10.2f}")


if __name__ == "__main__":
    main()
EOF
cat > scripts/stats.py <<'EOF'
#!/usr/bin/env python3
"""Mean, median and spread of one column of a CSV file."""
import csv
import statistics
import sys

path, column = (sys.argv[1:] + ["data/sales.csv", "quantity"])[:2] if len(sys.argv) >= 3 else ("data/sales.csv", "quantity")
with open(path, newline="") as handle:
    values = [float(r[column]) for r in csv.DictReader(handle)]
print(f"{path}: {column}")
print(f"  n      {len(values)}")
print(f"  mean   {statistics.mean(values):.3f}")
print(f"  median {statistics.median(values):.3f}")
print(f"  stdev  {statistics.stdev(values):.3f}")
print(f"  max    {max(values):.3f}")
EOF
cat > scripts/convert.py <<'EOF'
#!/usr/bin/env python3
"""Convert a CSV file to JSON, on standard output or into a file."""
import argparse
import csv
import json

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("source")
parser.add_argument("--out")
parser.add_argument("--limit", type=int)
args = parser.parse_args()
with open(args.source, newline="", encoding="utf-8") as handle:
    rows = list(csv.DictReader(handle))[: args.limit]
text = json.dumps(rows, indent=1)
if args.out:
    with open(args.out, "w", encoding="utf-8") as handle:
        handle.write(text + "\n")
    print(f"{len(rows)} rows -> {args.out}")
else:
    print(text)
EOF
cat > scripts/validate_json.py <<'EOF'
#!/usr/bin/env python3
"""Check JSON files; exit 1 when one is broken."""
import json
import sys

bad = 0
for name in sys.argv[1:]:
    try:
        with open(name, encoding="utf-8") as handle:
            json.load(handle)
        print(f"ok      {name}")
    except ValueError as exc:
        bad += 1
        print(f"broken  {name}: {exc}")
sys.exit(1 if bad else 0)
EOF
cat > scripts/check_links.py <<'EOF'
#!/usr/bin/env python3
"""List relative links in Markdown files that lead nowhere."""
import re
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
missing = 0
for page in sorted(list(root.glob("*.md")) + list(root.glob("docs/*.md"))):
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        if not (page.parent / target).exists():
            missing += 1
            print(f"{page.relative_to(root)}: {target}")
print(f"{missing} missing")
if "--strict" in sys.argv:
    sys.exit(1 if missing else 0)
EOF
cat > scripts/build_site.py <<'EOF'
#!/usr/bin/env python3
"""Render the Markdown pages to very plain HTML."""
import argparse
import html
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("--out", default="build")
args = parser.parse_args()
root = Path(__file__).resolve().parent.parent
out = root / args.out
out.mkdir(parents=True, exist_ok=True)
pages = sorted(root.glob("docs/*.md"))
for page in pages:
    body = html.escape(page.read_text(encoding="utf-8"))
    (out / (page.stem + ".html")).write_text(f"<html><body><pre>{body}</pre></body></html>\n", encoding="utf-8")
links = "\n".join(f'<li><a href="{p.stem}.html">{p.stem}</a></li>' for p in pages)
(out / "index.html").write_text(f"<ul>\n{links}\n</ul>\n", encoding="utf-8")
print(f"{len(pages) + 1} pages in {args.out}")
EOF
cat > scripts/primes.py <<'EOF'
#!/usr/bin/env python3
"""Print the primes below a limit."""
import sys

limit = int(sys.argv[1]) if len(sys.argv) > 1 else 100
sieve = bytearray([1]) * limit
for n in range(2, limit):
    if sieve[n]:
        print(n, end=" ")
        sieve[n * n :: n] = bytes(len(range(n * n, limit, n)))
print()
EOF
cat > scripts/loan.py <<'EOF'
#!/usr/bin/env python3
"""Repayment plan of a loan."""
import sys

amount, rate, months = (float(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])) if len(sys.argv) == 4 else (10000.0, 4.5, 12)
monthly = rate / 1200
payment = amount * monthly / (1 - (1 + monthly) ** -months)
print(f"payment {payment:.2f}")
rest = amount
for month in range(1, months + 1):
    interest = rest * monthly
    rest = max(0.0, rest - (payment - interest))
    print(f"{month:3d}  interest {interest:8.2f}  rest {rest:10.2f}")
EOF
cat > scripts/summarize_log.sh <<'EOF'
#!/usr/bin/env bash
# Count the log lines per level.
set -eu
file=${1:-logs/app.log}
echo "file: $file"
awk '{n[$2]++} END {for (k in n) printf "%-6s %d\n", k, n[k]}' "$file" | sort
EOF
cat > scripts/count_loc.sh <<'EOF'
#!/usr/bin/env bash
# Lines of code per language.
set -eu
cd "$(dirname "$0")/.."
for ext in py js sh c md; do
  lines=$(find . -path ./.git -prune -o -path ./build -prune -o -name "*.$ext" -type f -print0 | xargs -0 cat | wc -l)
  printf '%-4s %6d\n' "$ext" "$lines"
done
EOF
cat > scripts/backup.sh <<'EOF'
#!/usr/bin/env bash
# Pack the data folder.
set -eu
cd "$(dirname "$0")/.."
mkdir -p archives
tar -czf "archives/backup-${1:-today}.tar.gz" data config
ls -l archives
EOF
cat > scripts/check_env.sh <<'EOF'
#!/usr/bin/env bash
# Show which programs are there.
for p in git python3 node make gcc jq sqlite3; do
  if command -v "$p" >/dev/null; then echo "found    $p"; else echo "missing  $p"; fi
done
EOF
cat > scripts/clean.sh <<'EOF'
#!/usr/bin/env bash
# Remove generated files.
set -eu
cd "$(dirname "$0")/.."
rm -rf build
rm -f logs/*.tmp
echo cleaned
EOF
chmod +x scripts/report.py scripts/summarize_log.sh scripts/backup.sh scripts/clean.sh

# ---------------------------------------------------------------- javascript
cat > web/src/format.js <<'EOF'
'use strict';

function money(value, currency = 'EUR') {
  if (!Number.isFinite(value)) throw new TypeError('not a number');
  return `${value.toFixed(2)} ${currency}`;
}

function titleCase(text) {
  return text.replace(/\b\w/g, (c) => c.toUpperCase());
}

function pad(text, width) {
  return String(text).padEnd(width, ' ');
}

module.exports = { money, titleCase, pad };
EOF
cat > web/src/cart.js <<'EOF'
'use strict';
const { money } = require('./format');

class Cart {
  constructor() {
    this.lines = [];
  }

  add(sku, price, quantity = 1) {
    // TODO: merge lines with the same sku
    this.lines.push({ sku, price, quantity });
    return this;
  }

  total() {
    return this.lines.reduce((sum, l) => sum + l.price * l.quantity, 0);
  }

  toString() {
    return `${this.lines.length} lines, ${money(this.total())}`;
  }
}

module.exports = { Cart };
EOF
cat > web/src/index.js <<'EOF'
'use strict';
const fs = require('fs');
const path = require('path');
const { Cart } = require('./cart');
const { titleCase, pad, money } = require('./format');

const products = JSON.parse(fs.readFileSync(path.join(__dirname, '../../data/products.json'), 'utf8'));

function stats() {
  const byCategory = {};
  for (const p of products) byCategory[p.category] = (byCategory[p.category] || 0) + p.stock * p.price;
  for (const [k, v] of Object.entries(byCategory).sort((a, b) => b[1] - a[1])) {
    console.log(pad(titleCase(k), 12), money(v));
  }
}

if (require.main === module) {
  if (process.argv.includes('--stats')) stats();
  else {
    const cart = new Cart();
    products.slice(0, 3).forEach((p) => cart.add(p.sku, p.price, 2));
    console.log(String(cart));
  }
}

module.exports = { products, stats };
EOF
cat > web/build.js <<'EOF'
'use strict';
const fs = require('fs');
const path = require('path');
const out = path.join(__dirname, '../build/assets');
fs.mkdirSync(out, { recursive: true });
const files = ['format.js', 'cart.js', 'index.js'];
const bundle = files.map((f) => `// ${f}\n` + fs.readFileSync(path.join(__dirname, 'src', f), 'utf8')).join('\n');
fs.writeFileSync(path.join(out, 'bundle.js'), bundle);
fs.writeFileSync(path.join(out, 'manifest.json'), JSON.stringify({ files, bytes: bundle.length }) + '\n');
console.log(`bundle.js ${bundle.length} bytes`);
EOF
cat > web/test/format.test.js <<'EOF'
'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { money, titleCase, pad } = require('../src/format');

test('money', () => {
  assert.strictEqual(money(3), '3.00 EUR');
  assert.throws(() => money(NaN), TypeError);
});

test('titleCase', () => assert.strictEqual(titleCase('claw hammer'), 'Claw Hammer'));
test('pad', () => assert.strictEqual(pad('a', 3), 'a  '));
EOF
cat > web/test/cart.test.js <<'EOF'
'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { Cart } = require('../src/cart');

test('total of a cart', () => {
  const cart = new Cart().add('A-001', 2.5, 4).add('A-002', 1);
  assert.strictEqual(cart.total(), 11);
  assert.strictEqual(String(cart), '2 lines, 11.00 EUR');
});

test('empty cart', () => assert.strictEqual(new Cart().total(), 0));
EOF
cat > web/index.html <<'EOF'
<!doctype html>
<html lang="en">
  <head><title>Stockroom</title><link rel="stylesheet" href="style.css"></head>
  <body><h1>Stockroom</h1><p id="cart">empty</p><script src="src/index.js"></script></body>
</html>
EOF
cat > web/style.css <<'EOF'
:root { --accent: #3366cc; --space: 8px; }
body { font-family: sans-serif; margin: var(--space); }
h1 { color: var(--accent); }
#cart { border: 1px solid #cccccc; padding: 4px; color: #333333; }
EOF

# ---------------------------------------------------------------- C
cat > csrc/ring.h <<'EOF'
#ifndef RING_H
#define RING_H
#include <stddef.h>
#define RING_SIZE 16
struct ring { int items[RING_SIZE]; size_t head, count; };
void ring_init(struct ring *r);
int ring_push(struct ring *r, int value);
int ring_pop(struct ring *r, int *value);
#endif
EOF
cat > csrc/ring.c <<'EOF'
#include "ring.h"

static const char ring_version[] __attribute__((used)) = "stockroom ring 0.2.0";

void ring_init(struct ring *r) { r->head = 0; r->count = 0; }

int ring_push(struct ring *r, int value) {
    if (r->count == RING_SIZE) return -1; /* full */
    r->items[(r->head + r->count++) % RING_SIZE] = value;
    return 0;
}

int ring_pop(struct ring *r, int *value) {
    if (r->count == 0) return -1; /* empty */
    *value = r->items[r->head];
    r->head = (r->head + 1) % RING_SIZE;
    r->count--;
    return 0;
}
EOF
cat > csrc/main.c <<'EOF'
#include <stdio.h>
#include "ring.h"

int main(void) {
    struct ring r;
    int v, sum = 0;
    ring_init(&r);
    for (int i = 1; i <= 20; i++) ring_push(&r, i);
    while (ring_pop(&r, &v) == 0) sum += v;
    printf("sum %d\n", sum);
    return 0;
}
EOF

# ---------------------------------------------------------------- config, docs, notes
cat > config/settings.yaml <<'EOF'
app:
  name: stockroom
  debug: false
  port: 8080
database:
  path: data/shop.db
  timeout: 30
logging:
  level: info
  file: logs/app.log
  rotate: weekly
regions:
  - north
  - south
  - east
  - west
EOF
cat > config/settings.staging.yaml <<'EOF'
app:
  name: stockroom
  debug: true
  port: 8081
database:
  path: data/shop.db
  timeout: 60
logging:
  level: debug
  file: logs/app.log
  rotate: daily
regions:
  - north
  - south
EOF
cat > config/ci.yml <<'EOF'
name: ci
on: [push, pull_request]
jobs:
  test:
    runs-on: debian-latest
    steps:
      - uses: checkout@v4
      - run: make test-py
      - run: make test-js
      - run: make lint
EOF
cat > config/app.ini <<'EOF'
[server]
host = 127.0.0.1
port = 8080
workers = 4

[mail]
host = mail.example.org
port = 587
from = shop@example.org

[paths]
data = data
logs = logs
EOF
cat > docs/api.md <<'EOF'
# API

## load_orders(path)
Returns a list of `Order`. Raises `LoadError`.

## load_products(path)
Returns a dictionary of `Product` by sku.

## net_price(unit_price, quantity)
Price after discount, see the [handbook](handbook.md#chapter-3).

## gross_price(unit_price, quantity, kind)
Price with tax.

| kind     | rate |
|----------|------|
| standard | 19 % |
| reduced  | 7 %  |
| none     | 0 %  |
EOF
cat > docs/roadmap.md <<'EOF'
# Roadmap

- Q1: first release
- Q2: deployment, exchange rates
- Q3: replace the legacy export
EOF
cat > docs/minutes-2024-03-04.md <<'EOF'
# Minutes, 2024-03-04

Present: Anna, Bruno, Chloe, David
Absent: Erik

## Decisions
1. Volume discounts start on 2024-03-05.
2. Bruno orders 40 new labels (budget: 120.50 EUR).
3. The stocktaking is on 2024-03-29.

## Actions
- ACTION Anna: call the supplier of the claw hammers
- ACTION Bruno: order labels
- ACTION Chloe: send the expense report
- ACTION Anna: write the deployment page
EOF
cat > docs/minutes-2024-02-05.md <<'EOF'
# Minutes, 2024-02-05

Present: Anna, Bruno, Erik
Absent: Chloe, David

## Decisions
1. First release on 2024-02-12.
2. Erik pays the hosting (budget: 89.00 EUR).

## Actions
- ACTION Erik: book the hosting
- ACTION Anna: test the loader
EOF
cat > "docs/meeting notes.txt" <<'EOF'
supplier meeting, friday

prices go up 3 percent in april
ask for a discount from 500 pieces
delivery time: 10 to 14 days
contact: Ms. Keller, +49 30 555 0134, keller@supplier.example
EOF
cat > templates/invoice.txt <<'EOF'
Invoice ${INVOICE_NO}

Dear ${CUSTOMER},

please pay ${AMOUNT} EUR within 14 days.

Kind regards
The stockroom
EOF
cat > templates/reminder.txt <<'EOF'
Dear ${CUSTOMER},

invoice ${INVOICE_NO} over ${AMOUNT} EUR is still open.

Kind regards
The stockroom
EOF
printf '%s\n' hammer nails paint pliers saw screws tape wrench > data/list_a.txt
printf '%s\n' drill hammer ladder nails paint sandpaper tape varnish > data/list_b.txt
printf 'code\tname\tmanager\neast\tEast side\tDavid\nnorth\tNorth district\tAnna\nsouth\tSouth district\tBruno\nwest\tWest end\tChloe\n' > data/regions.tsv
printf '{"sku": "A-001", "price": 19.9,\n "stock": }\n' > data/broken.json

# ---------------------------------------------------------------- generated data
python3 -S - <<'EOF'
import random, json
R = random.Random(20240310)
W = lambda p, t: open(p, "w", encoding="utf-8", newline="\n").write(t)
cats = ["tools", "paint", "garden", "electric", "fixings"]
adj = ["Claw", "Steel", "Oak", "Heavy", "Small", "Large", "Blue", "Copper", "Folding", "Round"]
noun = ["Hammer", "Saw", "Brush", "Rake", "Cable", "Screw", "Ladder", "Lamp", "Hinge", "Pliers"]
prods = []
for i in range(1, 61):
    prods.append({"sku": "%s-%03d" % ("ABC"[i % 3 - 1], i), "name": "%s %s" % (adj[(i - 1) % 10], noun[(i * 7 - 7) % 10]),
                  "category": cats[i % 5], "price": round(R.uniform(0.5, 150), 2), "stock": R.choice([0, 3, 8, 12, 40, 150]),
                  "tags": R.sample(["new", "sale", "eco", "bulk", "import"], R.randint(0, 3))})
W("data/products.json", json.dumps(prods, indent=2) + "\n")
regions = ["north", "south", "east", "west"]
rows = ["order_id,date,region,sku,quantity,unit_price,channel"]
for i in range(420):
    p = R.choice(prods)
    rows.append("%d,2024-%02d-%02d,%s,%s,%d,%.2f,%s" % (1000 + i, 1 + i // 140, 1 + i % 140 // 5, R.choice(regions), p["sku"],
                R.choice([1, 1, 2, 3, 5, 10, 25, 60, 120]), p["price"], R.choice(["shop", "web", "phone"])))
W("data/sales.csv", "\n".join(rows) + "\n")
first = ["Anna", "Bruno", "Chloe", "David", "Erik", "Fatima", "Goran", "Hanna", "Ivan", "Julia", "Karl", "Lena", "Jos\u00e9", "Zo\u00eb"]
last = ["Meyer", "Keller", "Novak", "Rossi", "Silva", "Dubois", "Jansen", "Nowak", "Larsen", "M\u00fcller", "Brandt"]
cities = ["Berlin", "Hamburg", "Lyon", "Torino", "Porto", "Gent", "Graz"]
t = ["id\tname\temail\tcity\tsince"]
for i in range(1, 221):
    f, l = R.choice(first), R.choice(last)
    t.append("%d\t%s %s\tuser%d@example.org\t%s\t%d-%02d-%02d" % (i, f, l, i if i % 37 else i - 1, R.choice(cities), R.randint(2015, 2024), R.randint(1, 12), R.randint(1, 28)))
W("data/customers.tsv", "\n".join(t) + "\n")
e = ["date,employee,category,amount,note"]
for i in range(150):
    e.append('2024-%02d-%02d,%s,%s,%.2f,"%s, receipt %d"' % (1 + i // 50, 1 + i % 28, R.choice(first[:6]), R.choice(["travel", "meals", "office", "postage", "training"]), R.uniform(3, 260), R.choice(["taxi", "lunch", "paper", "stamps", "course"]), 500 + i))
W("data/expenses.csv", "\n".join(e) + "\n")
ts = ["day;employee;project;hours"]
for d in range(1, 25):
    for n in first[:5]:
        ts.append("2024-03-%02d;%s;%s;%.1f" % (d, n, R.choice(["webshop", "stock", "admin"]), R.choice([2, 4, 6.5, 7.5, 8])))
W("data/timesheet.csv", "\n".join(ts) + "\n")
W("data/events.jsonl", "".join(json.dumps({"ts": "2024-03-%02dT%02d:%02d:00Z" % (1 + i // 50, 8 + i // 6 % 10, i * 7 % 60), "user": R.choice(first[:6]).lower(),
  "action": R.choice(["login", "search", "view", "buy", "logout"]), "ms": R.randint(5, 900), "ok": R.random() > 0.07}) + "\n" for i in range(300)))
x = ['<?xml version="1.0" encoding="UTF-8"?>', "<catalog>"]
y = ["inventory:"]
for p in prods:
    x += ['  <product sku="%s">' % p["sku"], "    <name>%s</name>" % p["name"], '    <price currency="EUR">%.2f</price>' % p["price"], "    <stock>%d</stock>" % p["stock"], "  </product>"]
    y += ["  - sku: %s" % p["sku"], "    name: %s" % p["name"], "    category: %s" % p["category"], "    stock: %d" % p["stock"], "    shelf: %s%d" % (R.choice("ABCD"), R.randint(1, 9))]
W("data/catalog.xml", "\n".join(x + ["</catalog>"]) + "\n")
W("data/inventory.yaml", "\n".join(y) + "\n")
lv = ["INFO"] * 12 + ["DEBUG"] * 4 + ["WARN"] * 2 + ["ERROR"]
msg = {"INFO": "order %d processed in %dms", "DEBUG": "cache lookup %d took %dms", "WARN": "slow query for order %d: %dms", "ERROR": "timeout on order %d after %dms"}
def applog(month, n):
    out = []
    for i in range(n):
        l = R.choice(lv)
        out.append("2024-%02d-%02dT%02d:%02d:%02d %-5s [worker-%d] " % (month, 1 + i // 60, 8 + i % 60 // 6, i * 13 % 60, i * 29 % 60, l, R.randint(1, 4)) + msg[l] % (R.randint(1000, 1419), R.randint(4, 2500)))
    return "\n".join(out) + "\n"
W("logs/app.log", applog(3, 540)); W("logs/app-2024-02.log", applog(2, 300))
acc = []
for i in range(400):
    acc.append('10.0.%d.%d - - [%02d/Mar/2024:%02d:%02d:%02d +0000] "%s %s HTTP/1.1" %d %d' % (R.randint(0, 3), R.randint(1, 20), 1 + i // 50, 8 + i % 50 // 5, i * 11 % 60, i * 17 % 60,
      R.choice(["GET"] * 6 + ["POST"]), R.choice(["/", "/cart", "/api/orders", "/api/products", "/login", "/img/logo.png"]), R.choice([200] * 9 + [301, 404, 404, 500]), R.randint(120, 48000)))
W("logs/access.log", "\n".join(acc) + "\n")
W("logs/debug.tmp", "tmp\n" * 20)
hb = ["# Handbook", ""]
words = "the stock is counted every month and the price of each article follows the list of the supplier while discounts apply to large orders only".split()
for c in range(1, 13):
    hb += ["## Chapter %d" % c, ""]
    for _ in range(4):
        hb += [" ".join(R.choice(words) for _ in range(14)).capitalize() + "." for _ in range(3)] + [""]
    hb += ["See [the API](api.md) and https://example.org/chapter/%d" % c, ""]
W("docs/handbook.md", "\n".join(hb))
W("build/reports/monthly.txt", "".join("2024-%02d %10.2f\n" % (m, R.uniform(9000, 30000)) for m in range(1, 13)))
W("build/reports/errors.json", json.dumps({"errors": R.randint(10, 40), "warnings": R.randint(30, 90)}) + "\n")
W("build/index.html", "<ul>\n<li>old build</li>\n</ul>\n")
W("build/assets/bundle.js", "// generated\n" + "var a=%d;\n" * 40 % tuple(range(40)))
W("build/assets/app.min.css", "body{margin:0}h1{color:#36c}\n")
W("build/version.txt", "0.1.1\n")
EOF
cp data/sales.csv data/sales.csv.bak
if have gcc; then gcc -O1 -g "-fdebug-prefix-map=$PWD=." -c -o build/ring.o csrc/ring.c 2>/dev/null || true; fi
if have gzip; then gzip -9 -n logs/app-2024-02.log; fi
if have sqlite3; then
  sqlite3 data/shop.db >/dev/null <<'EOF'
CREATE TABLE sales(order_id INTEGER PRIMARY KEY, date TEXT, region TEXT, sku TEXT, quantity INTEGER, unit_price REAL, channel TEXT);
CREATE TABLE expenses(date TEXT, employee TEXT, category TEXT, amount REAL, note TEXT);
CREATE INDEX sales_region ON sales(region);
BEGIN;
.mode csv
.import --skip 1 data/sales.csv sales
.import --skip 1 data/expenses.csv expenses
COMMIT;
EOF
fi
find . -type f -exec touch -d '2024-03-01 00:00:00Z' {} +
if have tar && have gzip; then
  tar --sort=name --mtime='2024-03-01 00:00Z' -czf archives/docs-2024-03.tar.gz docs
  tar --sort=name --mtime='2024-03-01 00:00Z' -czf archives/config-2024-02.tar.gz config
fi
if have zip; then zip -q -X archives/templates.zip templates/*.txt; zip -q -X archives/lists.zip data/list_a.txt data/list_b.txt data/regions.tsv; fi

# ---------------------------------------------------------------- history
git init -q -b main .
git config user.name "Anna Meyer"
git config user.email "anna@example.org"
git config commit.gpgsign false
git config core.hooksPath .git/hooks
git config gc.auto 0
commit() { GIT_AUTHOR_DATE="$1" GIT_COMMITTER_DATE="$1" git commit -q "${@:3}" -m "$2"; }
git add README.md .gitignore .editorconfig stockroom/__init__.py stockroom/models.py tests/__init__.py tests/test_models.py
commit "2024-02-01T09:00:00+0000" "Start the project with models"
git add stockroom/loader.py stockroom/textutil.py tests/test_loader.py tests/test_textutil.py data
commit "2024-02-08T10:30:00+0000" "Add loader, text helpers and sample data"
git add stockroom scripts Makefile pyproject.toml
commit "2024-02-12T16:05:00+0000" "Add command line and scripts"
git tag -a v0.1.0 -m "First release" 2>/dev/null
git add tests config docs templates
commit "2024-02-20T11:15:00+0000" "Fix empty file handling, add docs and config" --author "Bruno Keller <bruno@example.org>"
git branch feature/exchange-rates
git branch old-export
git add web package.json .npmrc csrc
commit "2024-02-27T14:40:00+0000" "Add web front end and ring buffer"
git add -f archives CHANGELOG.md TODO.md .env.example
commit "2024-03-05T08:55:00+0000" "Release 0.2.0 with volume discounts"
git tag v0.2.0
echo 'DEFAULT_CURRENCY = "EUR"' >> stockroom/__init__.py
commit "2024-03-07T13:20:00+0000" "Set the default currency" -a --author "Chloe Dubois <chloe@example.org>"
sed -i 's/timeout: 30/timeout: 45/' config/settings.yaml
commit "2024-03-08T17:45:00+0000" "Raise the database timeout (fixes #12)" -a
git tag deploy-test HEAD~1
git checkout -q feature/exchange-rates
printf '"""Exchange rates, to be cached."""\n\nRATES = {"EUR": 1.0, "CHF": 0.96, "USD": 1.08}\n\n\ndef convert(amount, source, target):\n    return round(amount / RATES[source] * RATES[target], 2)\n' > stockroom/rates.py
git add stockroom/rates.py
commit "2024-03-06T10:10:00+0000" "WIP: exchange rates"
git checkout -q main

# ---------------------------------------------------------------- uncommitted work
find . -path ./.git -prune -o -type f -exec touch -d '2024-03-09 12:00:00Z' {} +
find build -type f -exec touch -d '2024-03-10 12:00:00Z' {} +
touch -d '2024-01-15 12:00:00Z' archives/*2024-02* LICENSE 2>/dev/null || true
rm -f LICENSE
cat >> stockroom/pricing.py <<'EOF'


def loyalty_bonus(orders_per_year):
    # TODO: agree on the steps with the shop
    return 0.02 if orders_per_year >= 12 else 0.0
EOF
echo '- Q4: loyalty bonus' >> docs/roadmap.md
git add docs/roadmap.md
printf 'ideas\n- loyalty bonus\n- better labels\n- shorter handbook\n' > notes/scratch.txt
printf 'sku,stock\nA-001,12\nB-002,0\n' > data/tmp_export.csv
git update-index -q --refresh || true
