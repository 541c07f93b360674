import fc from "fast-check";
import type { Database } from "#store/database.ts";
import { findCorrectableSale } from "#store/views/correctable-sale.ts";
import type { ledgerOn } from "../support/own-ledger.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { newcomers } from "./serial-history.ts";
import type { SerialProgram } from "./serial-program.ts";

const customer = fc.constantFrom("c0", "c1", ...newcomers);
/** Calls that `serial-history.ts` doesn't generate. */
export const intervention = fc.oneof(
  fc.record({
    kind: fc.constant("correct" as const),
    nth: fc.nat(9),
    changes: fc.constantFrom({ amountCents: 2_000 }, { customerKey: "c1" }, { occurredAt: daysAgo(20) }),
  }),
  fc.record({ kind: fc.constant("assign" as const), customer, partner: fc.nat(1), sinceDays: fc.constantFrom(0, 15) }),
  fc.record({
    kind: fc.constant("import" as const),
    ...{ customer, partner: fc.nat(1), sinceDays: fc.constantFrom(0, 15) },
    firstSaleAt: fc.constantFrom(undefined, daysAgo(25), daysAgo(80)),
  }),
);
export type Intervention = typeof intervention extends fc.Arbitrary<infer T> ? T : never;

/** Runs a correction, an assignment or an import. */
export async function intervene(
  { world }: SerialProgram,
  ledger: ReturnType<typeof ledgerOn>,
  made: Intervention,
  { operationId, database }: { readonly operationId: string; readonly database: Database },
) {
  const now = daysAgo(0);
  const common = { operationId, at: now, programId: world.programId, actorId: "someone" };
  if (made.kind === "correct") {
    const sold = await world.rows(
      "select id from sales where program_id = ? and is_test = 0 order by id",
      world.programId,
    );
    const found = await findCorrectableSale(database, world.programId, Number(sold[made.nth]?.id ?? 0));
    if (found === undefined) return;
    const { changes } = made;
    const call = {
      ...common,
      ...found,
      kind: "correct-sale",
      clicks: [],
      changes,
      reason: "wrong",
      isDryRun: false,
    } as const;
    await ledger.submit(ledger.changeTask(call, now)).outcome;
    return;
  }
  const { id: partnerId, code: partnerCode } = world.partners[made.partner] ?? world.partner;
  const since = daysAgo(made.sinceDays);
  const named = { customerKey: made.customer, since, payPast: true };
  const call =
    made.kind === "assign"
      ? ({ ...common, ...named, kind: "assign-customer", partnerId, reason: "on the phone" } as const)
      : ({
          ...{ ...common, source: "Elsewhere", isDryRun: false },
          kind: "import-customers",
          rows: [{ ...named, line: 1, partnerCode, firstSaleAt: made.firstSaleAt, subscriptionId: undefined }],
        } as const);
  await ledger.submit(ledger.changeTask(call, now)).outcome;
}
