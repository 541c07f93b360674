import { daysAgo, type ProgramFixture } from "./program-fixture.ts";

/** One more click than a response can contain. */
export const manyClicks = 1_001;

/** Adds many clicks to each of the program's customers. */
export async function showManyClicks({ world, click, alice }: ProgramFixture): Promise<void> {
  const shown = Array.from({ length: manyClicks }, (_, i) => click(alice, daysAgo(2, i)));
  await world.write({
    sql: `insert into customer_clicks select k.customer_id, e.value, k.link_id, ? + e.key, k.evidence, k.is_nameless,
        k.has_settled_in_browser, k.shown_at
      from json_each(?) e, customer_clicks k join customers c on c.id = k.customer_id where c.program_id = ?`,
    args: [daysAgo(2), JSON.stringify(shown), world.programId],
  });
}
