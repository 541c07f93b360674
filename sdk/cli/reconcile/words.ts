import { columns, count, money, time } from "../format.ts";
import { bold, green, red, yellow } from "../output.ts";
import type { Findings } from "./compare.ts";
import type { Figures } from "./figures.ts";

/** Limit on the printed sales of a kind. With `--json`, all are printed. */
const shownAtMost = 50;

interface Heading {
  readonly from: string;
  readonly to: string;
  readonly isTest: boolean;
}

const amounts = ({ amount_cents, currency, refunded_cents }: Figures): string =>
  [money(amount_cents, currency), refunded_cents > 0 && `${money(refunded_cents, currency)} refunded`]
    .filter(Boolean)
    .join(", ");

export function inWords(findings: Findings & { readonly sent?: readonly string[] }, heading: Heading): string {
  const { matched, missing, unexpected, differs, unreported, sent } = findings;
  const { from, to, isTest } = heading;
  const section = (mark: string, title: string, rows: readonly (readonly string[])[]) => [
    `${rows.length === 0 ? green("✓") : mark} ${rows.length} ${title}`,
    ...columns(rows.slice(0, shownAtMost)).map((line) => `    ${line}`),
    ...(rows.length > shownAtMost ? [`    and ${rows.length - shownAtMost} more: see them with --json`] : []),
  ];
  return [
    bold(`${isTest ? "Test payments" : "Payments"} from ${time(from)} to ${time(to)}`),
    ...(sent ? [`${green("✓")} ${sent.length} sent`] : []),
    `${green("✓")} ${matched} matched`,
    ...section(
      red("✗"),
      "missing",
      missing.map(({ id, theirs, why = "" }) => [id, amounts(theirs), why]),
    ),
    ...section(
      yellow("!"),
      "unexpected",
      unexpected.map(({ id, ours, why }) => [id, amounts(ours), why]),
    ),
    ...section(
      red("✗"),
      "differ",
      differs.map(({ id, theirs, ours, why }) => [id, `${amounts(theirs)}; recorded: ${amounts(ours)}`, why]),
    ),
    ...(unreported > 0
      ? [`${count(unreported, "payment")} not compared: they name no customer, or another program.`]
      : []),
  ].join("\n");
}
