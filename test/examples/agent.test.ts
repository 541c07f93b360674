import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { node, root } from "../../scripts/root.ts";
import { createProgramFixture } from "../support/program-fixture.ts";
import { sharedService } from "../support/shared-service.ts";

const ask = (env: Readonly<Record<string, string>>) =>
  promisify(execFile)(node, ["questions.ts"], { cwd: join(root, "examples/agent"), env });

test("the script of the agent example asks its questions through MCP and prints the answers", async () => {
  const shop = await createProgramFixture({
    partners: [{ name: "Alice Adams" }, { name: "Bob Brown" }],
    policies: [{ rateBps: 2_000, holdDays: 0 }],
    keys: [{}, { scopes: ["read", "manage"] }],
  });
  const { alice, world } = shop;
  await shop.lead({ customer_key: "cus_1", click_id: shop.click(alice) });
  await shop.sale({ transaction_id: "in_1", customer_key: "cus_1", amount_cents: 4_900 });
  await shop.sale({ transaction_id: "in_2", customer_key: "cus_2", amount_cents: 900 });
  const [, reading = ""] = world.keys;
  const { stdout } = await ask({ TRIBUTARY_URL: sharedService.url, TRIBUTARY_API_KEY: reading });
  expect(stdout.match(/\?\n/g)).toHaveLength(11);
  expect(stdout).toContain("What is due?\n  Alice Adams: 9.80 EUR\n");
  expect(stdout).toContain("Which sales earned nothing?\n  in_2: customer_not_found\n");
  expect(stdout).toContain("Which customers came without a partner?\n  cus_2\n");
  expect(stdout).toContain(
    "would have earned €12.25 instead of €9.80. This change: €2.45 more than today's commission (€9.80).",
  );
  expect(stdout).toContain(`To change it: ${sharedService.url}/app/#/proposal?token=svcp_`);
});

test("the script of the agent example prints one line if it has no key, or if the service refuses the key", async () => {
  await expect(ask({})).rejects.toMatchObject({ code: 1, stderr: "Usage: TRIBUTARY_API_KEY=svc_… npm start\n" });
  await expect(ask({ TRIBUTARY_URL: sharedService.url, TRIBUTARY_API_KEY: "svc_1_x" })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^Can't connect to http:[^\n]+\n$/),
  });
});
