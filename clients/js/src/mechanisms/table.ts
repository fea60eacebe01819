import { numberField } from "../fields.js";
import { fraction, largest, ONE, type Fraction } from "../fraction.js";
import { MOST_TOTAL } from "../limits.js";
import type { Parts, Source } from "../mechanism.js";
import { list, demand, weight } from "../reading.js";
import { below } from "../words.js";
import { categorical, forOneValue, readOptions } from "./common.js";
import { sumsAtMost } from "./noise.js";

/** Read `table`: row v holds the weights of every report for value v. */
export function readTable(source: Source): Parts {
  const domain = categorical(source);
  const where = `${source.where}.weights`;
  readOptions(source);
  const rows = list(source.weights, where).map((row) => list(row, where).map((one) => weight(one, where)));
  demand(rows.length === domain.size, where, "a row for every value");
  const columns = rows[0]!.length;
  const total = totalOf(rows[0]!);
  demand(total >= 1n && total <= MOST_TOTAL, where, "rows with a sum from 1 to 2^63");
  demand(rows.every((row) => row.length === columns && totalOf(row) === total), where, "rows of one length and one sum");
  return forOneValue(domain, {
    fields: [numberField("cell", columns)],
    cells: columns,
    ratio: worstColumn(rows, columns, where),
    respondAt: (value, words) => [sumsAtMost(below(total, words), rows[value]!)],
  });
}

function totalOf(row: readonly bigint[]): bigint {
  return row.reduce((all, one) => all + one, 0n);
}

/** The largest ratio within a column; columns of zeros are left out, and one with a zero and another number is refused. */
function worstColumn(rows: readonly (readonly bigint[])[], columns: number, where: string): Fraction {
  let worst = ONE;
  for (let y = 0; y < columns; y++) {
    let least = rows[0]![y]!;
    let most = least;
    for (const row of rows) {
      if (row[y]! < least) least = row[y]!;
      if (row[y]! > most) most = row[y]!;
    }
    if (most === 0n) continue;
    demand(least > 0n, where, "without a column that has both a zero and another number");
    worst = largest(worst, fraction(most, least));
  }
  return worst;
}
