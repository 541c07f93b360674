import { createHmac } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { signedHeaders } from "#deliver/signature.ts";
import { dateUtc } from "#domain/calendar.ts";
import { feedEvent } from "#domain/event.ts";
import { eventTypes } from "#domain/event-type.ts";
import type { Json, JsonObject } from "../../harness/client.ts";
import { sampled } from "../support/breadth.ts";
import { blocksOf, readDocument } from "../support/documents.ts";
import { type Integrator, integratorWithSdk } from "../support/integrator.ts";
import { whyNot } from "../support/interpreters.ts";
import { partnerSide } from "../support/partner-side.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { sharedApi, sharedService, sharedUser } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile("stranger");
const page = readDocument("docs/webhooks.md");
const blocks = blocksOf(page);
const textsOf = (language: string) => blocks.filter((block) => block.language === language).map(({ text }) => text);
const [whole = "", examples = ""] = textsOf("json");
const [feed = "", withSdk = "", withNode = ""] = textsOf("ts");

interface Example {
  readonly type: string;
  readonly data: { readonly object: JsonObject; readonly previous?: JsonObject };
}

type Event = Example & ReturnType<typeof feedEvent>;

let integrator: Integrator;
beforeAll(async () => {
  integrator = await integratorWithSdk(`${sharedService.url}/${inject("sdk").file}`);
});
afterAll(() => integrator.dispose());

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(integrator.project, name, ".."), { recursive: true });
    await writeFile(join(integrator.project, name), text);
  }
}

/** Creates a payout that is settled by API, and settles its line. */
async function settleLine({ world, create, finalize, row }: Awaited<ReturnType<typeof payoutsFixture>>) {
  const { id } = (await create({ settledBy: "api" })).body.data;
  expect((await finalize(id)).status).toBe(200);
  const { id: lineId } = await row("select id from payout_lines where payout_id = ? and state = 'live'", id);
  const key = await people.owner.post<{ data: { apiKey: string } }>(`/api/programs/${world.programId}/api-keys`, {
    ...{ name: "Billing", scopes: ["settle"], book: "both" },
  });
  const path = `/api/v1/programs/me/payouts/${id}/lines/${lineId}/settle`;
  const call = { key: key.body.data.apiKey, body: { settlement_id: "cbtxn_1" } };
  expect((await sharedApi().request("POST", path, call)).status).toBe(200);
}

describe("the events in the guide", () => {
  /** Opens a program in which every event occurs. */
  async function busyShop() {
    const shop = await payoutsFixture(people);
    const { world, alice, bob } = shop;
    const program = `/api/programs/${world.programId}`;
    const all = async () => {
      const path = "/api/v1/programs/me/events?limit=500";
      return (await sharedApi().request<{ events: Event[] }>("GET", path, { key: world.key })).body.events;
    };
    await shop.browserLead({ customer_key: "c1", click_id: (await shop.visit()).click_id });
    await shop.sell({ transaction_id: "t1" });
    await shop.refer("c1", { partner: bob, clickAt: daysAgo(0) });
    const { transaction_id } = await shop.earn(1_000);
    await shop.giveBack(transaction_id, { refund_id: "r1" });
    await shop.giveBack(transaction_id, { refund_id: "r1", cancel: true });
    const { id } = (await shop.create()).body.data;
    await shop.finalize(id);
    await shop.cancel(id);
    const paid = (await shop.create()).body.data;
    await shop.confirm(paid.id);
    await shop.fail(paid.id, alice.id);
    await settleLine(shop);
    await people.admin.patch(`${program}/partners/${alice.id}`, { status: "paused" });
    const claim: Json = { day: dateUtc(daysAgo(3)), amountCents: 4_900, currency: "EUR" };
    const claimed = await people.stranger.post(`${await partnerSide(world, people.stranger, bob.id)}/claims`, claim);
    expect(claimed.status, claimed.text).toBe(201);
    const slug = `shop-${world.programId}`;
    const joinPage = { mode: "approval", slug, headline: "Earn", description: "", questions: [] };
    const put = await people.admin.put(`${program}/join`, joinPage);
    expect(put.status, put.text).toBe(200);
    await people.admin.post(`${program}/terms`, { text: "Be kind." });
    const applied: Json = { name: "Ada", website: "https://ada.example", answers: {}, termsVersion: 1 };
    const ada = await (await sharedUser("Ada")).post(`/api/join/${slug}`, applied);
    expect(ada.status, ada.text).toBe(201);
    const url = "https://shop.example/webhooks";
    const made = await people.owner.post<{ data: { id: number } }>(`${program}/webhooks`, {
      url,
      types: ["lead.moved"],
    });
    await people.owner.patch(`${program}/webhooks/${made.body.data.id}`, { status: "disabled" });
    const leap = { seq: 9, at: 0, type: "feed.restarted", subject: 0, before: [1], after: [9] } as const;
    const restarted = feedEvent({ programId: 1, isTest: false }, { ...leap, object: null, partnerCode: null }) as Event;
    return [...(await all()), restarted];
  }

  test("the events in the guide are complete, and have the same fields and types of values as real events", async () => {
    const shown: Example[] = examples
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(shown.map(({ type }) => type)).toEqual(eventTypes);
    const [events = ""] = page.split("## Read the feed");
    const rows = events.match(/^\| `[a-z]+\.[a-z]+.*? \|/gm)?.flatMap((row) => row.match(/[a-z]+\.[a-z_]+/g) ?? []);
    expect(rows).toEqual(eventTypes);
    const told = await busyShop();
    /** Returns the names of fields with the types of their values. Null matches any type. */
    const shapeOf = (object: object) =>
      Object.entries(object).map(([name, value]) => [name, value === null ? null : typeof value]);
    for (const { type, data } of shown) {
      const real = told.filter((event) => event.type === type);
      expect(real, type).not.toEqual([]);
      for (const event of real) {
        expect(Object.keys(event.data).toSorted(), type).toEqual(Object.keys(data).toSorted());
        const kinds = new Map(shapeOf(event.data.object).map(([name, kind]) => [name, kind]));
        const fitting = shapeOf(data.object).map(([name, kind]) => [
          name,
          kind === null || kinds.get(`${name}`) === null ? kinds.get(`${name}`) : kind,
        ]);
        expect(new Map(fitting as [string, string][]), type).toEqual(kinds);
      }
      const changes = real.flatMap((event) => Object.keys(event.data.previous ?? {}));
      for (const name of Object.keys(data.previous ?? {})) expect(changes, type).toContain(name);
    }
    const event = JSON.parse(whole);
    const real = told.find(({ type }) => type === event.type);
    expect(Object.keys(event).toSorted()).toEqual(Object.keys(real ?? {}).toSorted());
  });
});

test("the guide's call and code for the feed follow a program's commissions", { tags: "soak" }, async () => {
  const shop = await payoutsFixture(people);
  const env = { TRIBUTARY_URL: sharedService.url, TRIBUTARY_API_KEY: shop.world.key };
  const [curl = "", listen = ""] = textsOf("sh");
  expect(JSON.parse(await integrator.shell(curl, { env }))).toMatchObject({ has_more: true, newest_seq: 2 });
  expect(listen).toContain("tributary-sdk listen --forward-to http://localhost");
  await shop.earn(1_000);
  const driver = (after: string) => `import { follow, start } from "./feed.ts";\nconsole.log("after", await ${after});`;
  await write({ "feed.ts": feed, "start.ts": driver("start()") });
  const begun = await integrator.shell("node start.ts", { env });
  const after = Number(/^after (\d+)\n$/.exec(begun)?.[1]);
  const { transaction_id } = await shop.earn(2_000);
  await write({ "follow.ts": driver(`follow(${after})`), "again.ts": driver("follow(1e9)") });
  const followed = await integrator.shell("node follow.ts", { env });
  expect(followed).toMatch(new RegExp(`^${transaction_id} approved\\n(.*\\n)*after ${after + 3}\\n$`));
  expect(await integrator.shell("node again.ts 2> log", { env })).toBe(`after ${after + 3}\n`);
});

const secretOf = (character: string): string => `whsec_${Buffer.from(character.repeat(32)).toString("base64")}`;

interface Delivery {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly isGenuine: boolean;
}

/** Deliveries that a receiver with the secrets "n" and "s" must accept or reject. */
async function deliveries(): Promise<readonly Delivery[]> {
  const sent = async (secrets: readonly string[], agoSeconds = 0) => {
    const body = JSON.stringify({ ...JSON.parse(whole), note: "für Zoë" });
    const at = Date.now() - agoSeconds * 1_000;
    return { body, headers: await signedHeaders({ id: "evt_1_1042", body }, secrets.map(secretOf), at) };
  };
  const good = await sent(["s"]);
  const { "webhook-signature": signature = "", ...unsigned } = good.headers;
  const right = [good, await sent(["n"]), await sent(["x", "s"]), await sent(["s", "x"]), await sent(["s"], 200)];
  const wrong = [
    { ...good, body: good.body.replace("980", "981") },
    { ...good, headers: { ...good.headers, "webhook-id": "evt_1_1043" } },
    { ...good, headers: { ...good.headers, "webhook-signature": signature.replace("v1,", "") } },
    { ...good, headers: { ...good.headers, "webhook-timestamp": "soon" } },
    { ...good, headers: unsigned },
    { ...good, headers: {} },
    ...[await sent(["x"]), await sent(["s"], 400), await sent(["s"], -400)],
  ];
  return [
    ...right.map((each) => ({ ...each, isGenuine: true })),
    ...wrong.map((each) => ({ ...each, isGenuine: false })),
  ];
}

interface Receiver {
  readonly files: Readonly<Record<string, string>>;
  readonly run: string;
}

/** Runs a receiver, which prints for each delivery in `deliveries.json` whether it is genuine. */
async function judgedBy({ files, run }: Receiver): Promise<void> {
  const known = `${secretOf("n")} ${secretOf("s")}`;
  await expectJudged({ files, run }, await deliveries(), known);
  // Anyone can sign with an empty key.
  const forged = await signedWith("");
  const empty = ["", `${known} `, " ", "whsec_", ` ${known.replace(" ", "  ")}`, `whsec_ ${known}`];
  for (const secrets of sampled(empty, 2)) {
    await expectJudged({ files, run }, [forged], secrets);
  }
}

async function signedWith(key: string): Promise<Delivery> {
  const [id, timestamp] = ["evt_1_1042", String(Math.floor(Date.now() / 1_000))];
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${whole}`).digest("base64");
  const headers = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
  return { body: whole, headers, isGenuine: false };
}

async function expectJudged({ files, run }: Receiver, sent: readonly Delivery[], secrets: string): Promise<void> {
  const cases = sent.map(({ body, headers }) => ({ body: Buffer.from(body).toString("base64"), headers }));
  await write({ ...files, "deliveries.json": JSON.stringify(cases) });
  const env = { TRIBUTARY_WEBHOOK_SECRETS: secrets };
  const output = await integrator.shell(run, { env });
  expect(output.trim().split("\n")).toEqual(sent.map(({ isGenuine }) => String(isGenuine)));
}

describe("the receivers in the guide", { tags: "finding" }, () => {
  const readCases = `import { readFileSync } from "node:fs";
const cases = JSON.parse(readFileSync("deliveries.json", "utf8"));`;

  test("the receivers in the guide that use the SDK accept only genuine events", async () => {
    const driver = `import { receive } from "./receive.ts";
${readCases}
console.log = () => {};
for (const { body, headers } of cases) {
  const request = new Request("https://shop.example/", { method: "POST", body: Buffer.from(body, "base64"), headers });
  process.stdout.write((await receive(request)).status === 204 ? "true\\n" : "false\\n");
}`;
    await judgedBy({ files: { "receive.ts": withSdk, "receive-all.ts": driver }, run: "node receive-all.ts 2> log" });
  });

  test("the receivers in the guide for Node without the SDK accept only genuine events", async () => {
    const driver = `import { isGenuine } from "./genuine.ts";
${readCases}
const secrets = process.env.TRIBUTARY_WEBHOOK_SECRETS.split(" ");
for (const { body, headers } of cases) console.log(isGenuine(Buffer.from(body, "base64"), headers, secrets));`;
    await judgedBy({ files: { "genuine.ts": withNode, "node.ts": driver }, run: "node node.ts 2> log" });
  });

  const others: Readonly<Record<string, Receiver & { readonly version?: string }>> = {
    python: {
      files: {
        "genuine.py": textsOf("python").join("\n"),
        "all.py": `import base64, json, os
from email.message import Message
from genuine import is_genuine
for each in json.load(open("deliveries.json")):
    headers = Message()
    for name, value in each["headers"].items():
        headers[name.title()] = value
    secrets = os.environ["TRIBUTARY_WEBHOOK_SECRETS"].split(" ")
    print(str(is_genuine(base64.b64decode(each["body"]), headers, secrets)).lower())`,
      },
      run: "python3 all.py",
    },
    php: {
      files: {
        "genuine.php": textsOf("php").join("\n"),
        "all.php": `<?php
require "genuine.php";
foreach (json_decode(file_get_contents("deliveries.json"), true) as $each) {
    $server = [];
    foreach ($each["headers"] as $name => $value) $server["HTTP_" . strtoupper(strtr($name, "-", "_"))] = $value;
    $secrets = explode(" ", getenv("TRIBUTARY_WEBHOOK_SECRETS"));
    echo is_genuine(base64_decode($each["body"]), $server, $secrets) ? "true\\n" : "false\\n";
}`,
      },
      run: "php all.php",
    },
    ruby: {
      files: {
        "genuine.rb": textsOf("ruby").join("\n"),
        "all.rb": `require "json"
require_relative "genuine"
JSON.parse(File.read("deliveries.json")).each do |each|
  env = each["headers"].to_h { |name, value| ["HTTP_" + name.upcase.tr("-", "_"), value] }
  puts genuine?(each["body"].unpack1("m"), env, ENV["TRIBUTARY_WEBHOOK_SECRETS"].split(/ /, -1))
end`,
      },
      run: "ruby all.rb",
    },
    go: {
      files: {
        "go.mod": "module shop\n\ngo 1.19\n",
        "webhook/webhook.go": textsOf("go").join("\n"),
        "main.go": `package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"

	"shop/webhook"
)

func main() {
	var cases []struct {
		Body    []byte
		Headers map[string]string
	}
	text, _ := os.ReadFile("deliveries.json")
	if err := json.Unmarshal(text, &cases); err != nil {
		panic(err)
	}
	for _, each := range cases {
		header := http.Header{}
		for name, value := range each.Headers {
			header.Set(name, value)
		}
		fmt.Println(webhook.IsGenuine(each.Body, header, strings.Split(os.Getenv("TRIBUTARY_WEBHOOK_SECRETS"), " ")))
	}
}`,
      },
      run: "go run .",
      version: "version",
    },
  };
  const commandOf: Readonly<Record<string, string>> = { python: "python3" };
  for (const [language, receiver] of Object.entries(others)) {
    // Go's compiler takes longer than all others together.
    const breadth = language === "go" ? { tags: "soak" } : {};
    const reason = whyNot(commandOf[language] ?? language, receiver.version ?? "--version");
    test.skipIf(reason)(`the receivers in the guide accept only genuine events in ${language}`, breadth, () =>
      judgedBy(receiver),
    );
  }
});
