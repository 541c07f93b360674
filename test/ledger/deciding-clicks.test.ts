import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { attribute, type Binding } from "#domain/attribution.ts";
import { clockToleranceMs, dayMs } from "#domain/calendar.ts";
import { decidingClicks } from "#store/customer-clicks.ts";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createWorld } from "../../harness/world.ts";
import { isWhole, sampled } from "../support/breadth.ts";

let server: TestDatabase;
beforeAll(async () => {
  server = await startDatabase();
});
afterAll(() => server.dispose());

const start = Date.UTC(2026, 0, 1);
const windowDays = 2;
/** Instants at each boundary of the window and tolerance, and 1 ms before and after it. */
const instant = fc
  .tuple(fc.integer({ min: 0, max: 6 }), fc.constantFrom(-1, 0, 1), fc.constantFrom(-1, 0, 1))
  .map(([days, tolerances, ms]) => start + days * dayMs + tolerances * clockToleranceMs + ms);
const shown = fc.record({ at: instant, evidence: fc.constantFrom("key" as const, "browser" as const) });

describe("the subset of a customer's clicks that the service reads", () => {
  it.each(sampled(["last_click", "first_click"]))(
    "the subset of a customer's clicks that the service reads gives the same decision as all clicks: %s",
    async (model) => {
      const world = await createWorld(server.url, { program: { attributionWindowDays: windowDays } });
      const { programId, partner } = world;
      const database = databaseAt(server.url);
      let customers = 0;
      const histories = fc.record({
        clicks: fc.array(shown, { maxLength: 30 }),
        createdAt: instant,
        firstSaleAt: fc.option(instant),
        occurredAt: instant,
        isSale: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(histories, async ({ clicks, createdAt, firstSaleAt, occurredAt, isSale }) => {
          customers += 1;
          const customerId = programId + customers;
          const all = clicks.map((click, i) => ({ ...click, clickId: `${customerId}-${(i * 7) % 30}` }));
          await world.write(
            {
              sql: `insert into customers (id, program_id, is_test, customer_key, reason, first_sale_at, created_at)
              values (?, ?, 0, ?, 'no_click', ?, ?)`,
              args: [customerId, programId, `c${customers}`, firstSaleAt, createdAt],
            },
            ...all.map(({ clickId, at, evidence }) => ({
              sql: "insert into customer_clicks values (?, ?, ?, ?, ?, 0, 0, 0)",
              args: [customerId, clickId, partner.linkId, at, evidence],
            })),
          );
          const own = all.slice(0, 1).map(({ clickId }) => clickId);
          const mention = { programId, isTest: false, customerKey: `c${customers}`, clickIds: JSON.stringify(own) };
          const read = decidingClicks({ ...mention, occurredAt, isSale });
          const found = read.decode((await database.read([read]))[0] ?? []);

          expect(found.length).toBeLessThanOrEqual(own.length + 6);
          expect(found.map(({ clickId }) => clickId)).toEqual(expect.arrayContaining(own));
          const keyed = (rows: readonly { clickId: string; at: number; evidence: string }[]) =>
            rows.filter(({ evidence }) => evidence === "key").map(({ clickId, at }) => ({ clickId, at, linkId: 1 }));
          const first = isSale ? Math.min(firstSaleAt ?? occurredAt, occurredAt) : (firstSaleAt ?? undefined);
          const bindings: Binding[] = [
            { by: isSale ? "sale" : "lead", at: occurredAt, firstSaleAt: first },
            { by: "lead", at: createdAt, firstSaleAt: first },
          ];
          for (const windowUntil of ["lead", "first_sale"] as const) {
            for (const binding of bindings) {
              const terms = { model, windowDays, windowUntil };
              expect(
                attribute(keyed(found.map(({ clickAt: at, ...click }) => ({ ...click, at }))), terms, binding),
              ).toEqual(attribute(keyed(all), terms, binding));
            }
          }
        }),
        { numRuns: isWhole ? 150 : 40 },
      );
    },
  );
});
