import { expect, test } from "vitest";
import { mcpClient, propose } from "../support/proposing.ts";
import { sharedService } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

test("a proposed policy is described with all its limits, and with what it earns if it excludes everything", async () => {
  const { keys, partner } = await people.world({
    keys: [{}, { scopes: ["read", "manage"] }],
    partners: [{ name: "Anna" }],
    policies: [{ rateBps: 2_000 }],
  });
  const client = await mcpClient(sharedService.url, { key: keys[1] ?? "" });
  const textOf = async (more: object) => {
    const asked = { action: "policy", type: "percent", scope: "lifetime", rateBps: 2_000, reason: "r", ...more };
    return (await propose(client, asked)).effects[0]?.text;
  };
  expect(await textOf({ minSaleCents: 500 })).toContain(
    "; only for sales in EUR; instead of 20% of each sale. Earlier",
  );
  const excluding = { partnerId: partner.id, rules: [{ when: {}, excluded: true }] };
  expect(await textOf(excluding)).toMatch(/^New sales of Anna earn nothing\. Earlier/);
});
