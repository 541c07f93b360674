import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { signUp } from "../../harness/session.ts";
import { blocksOf, readDocument } from "../support/documents.ts";
import { partnerSide } from "../support/partner-side.ts";
import { at, createProgramFixture, daysAgo } from "../support/program-fixture.ts";
import { sharedService } from "../support/shared-service.ts";

/** Returns a pattern for the text, in which … matches anything and ids may differ. */
const shown = (text: string) => {
  const general = text.trim().replaceAll(/"(id|saleId)":\d+/g, '"$1":…');
  return new RegExp(`^${general.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&").replaceAll("…", ".*?")}$`, "s");
};

test("the commands of docs/missing-sales.md report and answer a claim, and print what the page shows", {
  tags: "soak",
}, async () => {
  const [owner, anna] = await Promise.all([signUp(sharedService.url), signUp(sharedService.url)]);
  const shop = await createProgramFixture({
    partners: [{ name: "Anna" }, {}],
    members: [{ user: owner, role: "owner" }],
  });
  const { world } = shop;
  const soldAt = at(daysAgo(3));
  await shop.sale({ transaction_id: "order-1", customer_key: "friend", amount_cents: 4_900, occurred_at: soldAt });
  await partnerSide(world, anna, world.partner.id);
  const folder = await mkdtemp(join(tmpdir(), "tributary-claims-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [day = ""] = soldAt.split("T");
  const ids = async () => {
    const { claims, sales } = await world.allRows({
      claims: "select id from claims where program_id = ?",
      sales: "select id from sales where program_id = ?",
    });
    return [claims[0]?.id, sales[0]?.id];
  };
  const own = async (text: string) => {
    const [claim, sale] = await ids();
    return text
      .replaceAll("programs/1/", `programs/${world.programId}/`)
      .replaceAll("partners/2/", `partners/${world.partner.id}/`)
      .replaceAll("claims/1/", `claims/${claim}/`)
      .replaceAll('"saleId":1,', `"saleId":${sale},`)
      .replaceAll("2026-11-14", day)
      .replaceAll("anna@blog.example", anna.email)
      .replaceAll("you@shop.example", owner.email);
  };
  const blocks = blocksOf(readDocument("docs/missing-sales.md"));
  const aliases = blocks.flatMap(({ text }) => text.match(/^alias .*$/gm) ?? []).join("\n");
  const env = { PATH: process.env.PATH, TRIBUTARY_URL: sharedService.url };
  const said = blocks.filter(({ language }) => language === "text");
  const commands = blocks.filter(({ language }) => language === "sh");
  expect(commands).toHaveLength(said.length);
  for (const [i, { text }] of commands.entries()) {
    let output = "";
    for (const line of text.trim().split("\n")) {
      const { password } = line.startsWith("partner") ? anna : owner;
      const script = (await own(line)).replace('"password":"…"', `"password":"${password}"`);
      output += (await promisify(execFile)("sh", ["-ec", `${aliases}\n${script}`], { cwd: folder, env })).stdout;
    }
    expect(output.trim()).toMatch(shown(await own(said[i]?.text ?? "")));
  }
});
