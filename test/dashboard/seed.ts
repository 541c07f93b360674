import { createHash } from "node:crypto";
import { createApi } from "../../harness/client.ts";
import { ownId } from "../../harness/own-id.ts";
import { createWorld, type MemberSettings, type Partner, type World } from "../../harness/world.ts";
import { at, clickOf, day } from "../support/program-fixture.ts";
import { sharedService } from "../support/shared-service.ts";

const names = ["Alpine Weekly", "Basecamp Notes", "Climb Magazine", "Downhill Daily", "Everyday Trails", "Far & Near"];
const days = 60;
/**
 * Clicks of these days are sent to the API, which accepts clicks of the last 30 days. Older clicks are written to the
 * database.
 */
const daysOfClicks = 29;

/** Creates a program with sixty days of events: six partners, two currencies, refunds, and organic sales. */
export async function seedProgram(members: readonly MemberSettings[]): Promise<World> {
  const random = sequence("sixty days");
  const world = await createWorld(sharedService.databaseUrl, {
    members,
    program: { name: "Northwind Outdoor" },
    partners: names.map((name, i) => ({ name, code: `${name.slice(0, 1)}${shortened(name)}${i}` })),
    policies: [{ rateBps: 2_000 }],
  });
  for (let ago = days - 1; ago >= 0; ago -= 1) {
    const visitors = Math.round((6 + random() * 10) * (1 + (days - ago) / days));
    const api = createApi(sharedService.url);
    await Promise.all(Array.from({ length: visitors }, (_, i) => visit(world, api, random, ago, `${ago}-${i}`)));
  }
  return world;
}

async function visit(
  world: World,
  api: ReturnType<typeof createApi>,
  random: () => number,
  ago: number,
  name: string,
): Promise<void> {
  const { key, partners } = world;
  const [which, hour, becomesLead, buys, amount, returns] = Array.from({ length: 6 }, random) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const instant = Date.now() - ago * day - Math.floor(hour * 20 * 3_600_000) - 600_000;
  const partner = partners[Math.floor(which ** 2 * partners.length)] ?? world.partner;
  const isOrganic = which > 0.92;
  const visited =
    ago < daysOfClicks ? sendClick(world, api, partner, instant, name) : writeClick(world, partner, instant, name);
  const click_id = await visited;
  if (becomesLead > 0.3) return;
  const customer_key = `user-${name}`;
  const later = Math.min(instant + 1_800_000, Date.now());
  if (!isOrganic) await api.lead({ customer_key, click_id, occurred_at: at(later) }, { key });
  if (buys > 0.6) return;
  const transaction_id = `INV-${name}`;
  const money = { amount_cents: 1_900 + Math.floor(amount * 12_000), currency: returns > 0.75 ? "USD" : "EUR" };
  await api.sale({ transaction_id, customer_key, occurred_at: at(later), ...money }, { key });
  if (returns < 0.1) await api.refund({ transaction_id, refund_id: "r1", occurred_at: at(later) }, { key });
}

async function sendClick(
  { key, programId }: World,
  api: ReturnType<typeof createApi>,
  { landingUrl }: Partner,
  instant: number,
  name: string,
): Promise<string> {
  const click = { affiliate_url: landingUrl, program_id: programId, occurred_at: at(instant), session_id: name };
  const { status, text, body } = await api.click(click, { key });
  if (status !== 200) throw new Error(text);
  return body.click_id;
}

async function writeClick(
  { programId, write }: World,
  partner: Partner,
  instant: number,
  name: string,
): Promise<string> {
  const clickId = clickOf(programId, partner, instant);
  // An id outside the range of the service's own ids.
  const id = ownId();
  const dated = [instant, instant, at(instant).slice(0, 10)];
  await write({
    sql: `insert into clicks (id, program_id, is_test, click_id, link_id, partner_id, source, is_bot, is_prefetch,
            visitor, occurred_at, created_at, day) values (?, ?, 0, ?, ?, ?, 'browser', 0, 0, ?, ?, ?, ?)`,
    args: [id, programId, clickId, partner.linkId, partner.id, name, ...dated],
  });
  return clickId;
}

const shortened = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 4);

/** Returns a generator of pseudorandom numbers from 0 to 1. */
function sequence(seed: string): () => number {
  let n = 0;
  return () => {
    n += 1;
    return createHash("sha256").update(`${seed} ${n}`).digest().readUInt32BE() / 2 ** 32;
  };
}
