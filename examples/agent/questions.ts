import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

// Asks questions of a manager's week through MCP, and prints the answers. An assistant calls the same tools.

const { TRIBUTARY_URL = "http://127.0.0.1:8787", TRIBUTARY_API_KEY = "" } = process.env;

if (TRIBUTARY_API_KEY === "") fail("Usage: TRIBUTARY_API_KEY=svc_… npm start");

type Row = Readonly<Record<string, unknown>>;
type Arguments = Readonly<Record<string, string | number | boolean>>;

const requestInit = { headers: { Authorization: `Bearer ${TRIBUTARY_API_KEY}` } };
const client = new Client({ name: "questions", version: "1" });
const url = new URL("/mcp", TRIBUTARY_URL);
await client
  .connect(new StreamableHTTPClientTransport(url, { requestInit }))
  .catch((error: Error) => fail(`Can't connect to ${url}: ${error.message}`));

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

async function ask(name: string, given: Arguments = {}): Promise<Row> {
  const { structuredContent, isError } = await client.callTool({ name, arguments: given });
  if (isError) throw new Error(`${name}: ${JSON.stringify(structuredContent)}`);
  return structuredContent as Row;
}

const rowsOf = ({ data }: Row): readonly Row[] => data as readonly Row[];
const money = (cents: unknown, currency: unknown): string => `${(Number(cents) / 100).toFixed(2)} ${currency}`;
const list = (lines: readonly string[]): string => (lines.length === 0 ? "None." : lines.join("\n  "));

async function answer(question: string, answering: () => Promise<string>): Promise<void> {
  console.log(`${question}\n  ${await answering()}\n`);
}

const last30Days = { group_by: "partner", period: "30d" };

await answer("Is the integration complete?", async () => {
  const { state, blocker } = await ask("get_readiness");
  return blocker === null ? String(state) : `${state}: ${blocker}`;
});

await answer("Which partners had no click in 30 days?", async () => {
  const [partners, figures] = await Promise.all([ask("list_partners"), ask("get_performance", last30Days)]);
  const active = new Set(rowsOf(figures).flatMap(({ group, clicks }) => (Number(clicks) > 0 ? [String(group)] : [])));
  return list(rowsOf(partners).flatMap(({ id, name }) => (active.has(String(id)) ? [] : [String(name)])));
});

await answer("Who brought the most revenue in 30 days, compared with the 30 days before?", async () => {
  const { data, meta } = await ask("get_performance", { ...last30Days, compare: "previous" });
  const { currency } = meta as Row;
  return list(
    (data as readonly Row[]).slice(0, 3).map(({ label, revenue_cents, previous }) => {
      const before = money((previous as Row | null)?.revenue_cents ?? 0, currency);
      return `${label}: ${money(revenue_cents, currency)}, before ${before}`;
    }),
  );
});

await answer("What is due?", async () =>
  list(
    rowsOf(await ask("list_balances")).flatMap(({ name, currency, payable_cents }) =>
      Number(payable_cents) > 0 ? [`${name}: ${money(payable_cents, currency)}`] : [],
    ),
  ),
);

await answer("Which payouts aren't paid yet?", async () =>
  list(
    rowsOf(await ask("list_payouts")).flatMap(({ reference, status, total_cents, currency }) =>
      status === "draft" || status === "final" ? [`${reference}: ${status}, ${money(total_cents, currency)}`] : [],
    ),
  ),
);

const unpaid = rowsOf(await ask("list_commissions", { status: "void" }));

await answer("Which sales earned nothing?", async () =>
  list(unpaid.slice(0, 3).map(({ transaction_id, reason }) => `${transaction_id}: ${reason}`)),
);

await answer("Why did the newest of them earn nothing?", async () => {
  const [newest] = unpaid;
  if (newest === undefined) return "Every sale earned.";
  const { verdict } = await ask("explain", { transaction_id: String(newest.transaction_id) });
  return String((verdict as Row).message);
});

await answer("Which commissions wait for a review?", async () =>
  list(
    rowsOf(await ask("list_commissions", { status: "pending" })).flatMap(({ held, transaction_id, partner_name }) =>
      held ? [`${transaction_id} of ${partner_name}`] : [],
    ),
  ),
);

await answer("Which customers came without a partner?", async () =>
  list(
    rowsOf(await ask("list_customers", { attributed: false, has_sale: true }))
      .slice(0, 3)
      .map(({ customer_key }) => String(customer_key)),
  ),
);

await answer("Which calls of the integration were refused?", async () =>
  list(
    rowsOf(await ask("list_requests", { outcome: "refused" }))
      .slice(0, 3)
      .map(({ at, route, code }) => `${at} ${route}: ${code}`),
  ),
);

// A key that can also manage may propose changes. The answer contains a link, with which a person makes the change.
const { tools } = await client.listTools();
if (tools.some(({ name }) => name === "propose")) {
  await answer("What would 25% on every sale have cost in 30 days?", async () => {
    const policy = { action: "policy", type: "percent", rateBps: 2_500, scope: "lifetime" };
    const { effects, url } = await ask("propose", { ...policy, reason: "Asked what 25% would have cost" });
    return list([...(effects as readonly Row[]).map(({ text }) => String(text)), `To change it: ${url}`]);
  });
}

await client.close();
