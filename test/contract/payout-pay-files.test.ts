import { expect, test } from "vitest";
import type { JsonObject, Reply } from "../../harness/client.ts";
import { parseCsv } from "../support/parse-csv.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

const payer = { name: "Northwind GmbH", iban: "DE89370400440532013000" };

interface Files {
  readonly data: {
    readonly files: readonly { format: string; lineCount: number; amountCents: number; unavailable: string | null }[];
    readonly rest: { lineCount: number; amountCents: number };
    readonly refused: readonly JsonObject[];
  };
}

/** A payout of six partners, each with a different payment method, and its payment files. */
async function open(currency = "EUR") {
  const names = ["Paula", "Wilma", "Bea", "Carla", "Otto", "Emil"];
  const shop = await payoutsFixture(people, { partners: names.map((name) => ({ name })) });
  const path = `/api/programs/${shop.world.programId}`;
  const details = [
    { method: "paypal", account: "paula@pay.example", holder: "Paula" },
    { method: "wise", account: "wilma@wise.example", holder: "Wilma Berg" },
    { method: "bank", account: "FR14 2004 1010 0505 0001 3M02 606", holder: "Béa Œuvre" },
    { method: "bank", account: "BR18 0036 0305 0000 1000 9795 493C 1", holder: "Carla" },
    { method: "other", account: "by cheque", holder: "Otto" },
  ];
  for (const [i, partner] of shop.world.partners.entries()) {
    await shop.earn(1_000 + i, { partner, currency });
    const given = details[i];
    if (given !== undefined) {
      expect((await people.owner.put(`${path}/partners/${partner.id}/payment`, given)).status).toBe(200);
    }
  }
  const { id } = (await shop.create({ currency, reference: "March" })).body.data;
  return {
    ...{ ...shop, id, partners: shop.world.partners },
    pay: () => people.owner.patch(path, { payer }),
    file: (format: string, who: "owner" | "admin" | "viewer" = "owner", headers = {}) =>
      people[who].get(`${shop.path}/${id}?format=${format}`, { checked: false, headers }),
    files: async (who: "owner" | "admin" = "owner") => await people[who].get<Files>(`${shop.path}/${id}/files`),
    downloads: async () =>
      (await people.owner.get<{ data: JsonObject[] }>(`${path}/audit`)).body.data
        .filter(({ action }) => action === "payout.downloaded")
        .map(({ after }) => after),
  };
}

const code = ({ status, body: { error } }: Reply<unknown>) =>
  error === undefined ? status : `${status} ${error.details.code ?? error.message}`;

/** Each line as text, for example "paypal 1 1000 null". */
const inWords = ({ body: { data } }: Reply<Files>): string[] => [
  ...data.files.map(({ format, lineCount, amountCents, unavailable }) =>
    [format, lineCount, amountCents, unavailable].join(" "),
  ),
  `rest ${data.rest.lineCount} ${data.rest.amountCents}`,
];

test("a draft payout shows admins which partners have a name that Wise would refuse", async () => {
  const shop = await payoutsFixture(people, { partners: [{ name: "Zoe" }, { name: "Wilma" }] });
  for (const [i, partner] of shop.world.partners.entries()) {
    const details = { method: "wise", account: `p${i}@wise.example`, holder: ["Zoe", "Wilma Berg"][i] };
    const path = `/api/programs/${shop.world.programId}/partners/${partner.id}/payment`;
    expect((await people.owner.put(path, details)).status).toBe(200);
    await shop.earn(1_000, { partner });
  }
  const { id } = (await shop.create()).body.data;
  const refusedFor = async (who: "admin" | "viewer") => {
    const found = await people[who].get<{ data: { lines: JsonObject[] } }>(`${shop.path}/${id}`);
    return Object.fromEntries(found.body.data.lines.map(({ name, isNameRefused }) => [name, isNameRefused]));
  };
  expect(await refusedFor("admin")).toEqual({ Zoe: true, Wilma: false });
  expect(await refusedFor("viewer")).toEqual({ Zoe: undefined, Wilma: undefined });
  await shop.finalize(id);
  expect(await refusedFor("admin")).toEqual({ Zoe: false, Wilma: false });
});

test("each pay file of a payout contains the lines of its payment method, and lines without a file are counted", async () => {
  const { id, pay, file, files, finalize, downloads, partners } = await open();
  await finalize(id);
  expect(inWords(await files())).toEqual(["paypal 1 1000 ", "wise 1 1001 ", "sepa 1 1002 no_payer", "rest 3 3012"]);
  const [carla] = partners.slice(3);
  expect((await files()).body.data.refused).toEqual([
    {
      ...{ format: "sepa", reason: "account", lineCount: 1, amountCents: 1_003 },
      partners: [{ id: carla?.id, code: carla?.code }],
    },
  ]);
  expect(code(await file("sepa"))).toBe("409 no_payer");
  expect(await downloads()).toEqual([]);
  await pay();
  expect(inWords(await files())[2]).toBe("sepa 1 1002 ");

  const paypal = await file("paypal");
  expect(paypal.headers.get("Content-Type")).toBe("text/csv; charset=utf-8");
  expect(paypal.headers.get("Content-Disposition")).toBe(
    'attachment; filename="tributary-test-program-payout-march-paypal.csv"',
  );
  expect(parseCsv(paypal.text)).toEqual([
    ["paula@pay.example", "10,00", "EUR", String(partners[0]?.id), "March", "PAYPAL"],
  ]);
  expect(parseCsv((await file("wise")).text)[1]?.slice(0, 3)).toEqual(["Wilma Berg", "wilma@wise.example", "March"]);
  const sepa = await file("sepa");
  expect(sepa.headers.get("Content-Type")).toBe("application/xml; charset=utf-8");
  expect(sepa.headers.get("Content-Disposition")).toMatch(/payout-march-sepa\.xml"$/);
  for (const part of ["<NbOfTxs>1</NbOfTxs><CtrlSum>10.02</CtrlSum>", "Bea Oeuvre", payer.iban, "FR142004"]) {
    expect(sepa.text).toContain(part);
  }
  expect((await downloads()).toReversed()).toEqual([
    { format: "paypal", totalCents: 1_000, lines: 1 },
    { format: "wise", totalCents: 1_001, lines: 1 },
    { format: "sepa", totalCents: 1_002, lines: 1 },
  ]);
});

test("only owners can download a payout's pay files, and not by a link on another site", async () => {
  const { id, file, files, finalize, downloads } = await open();
  await finalize(id);
  for (const who of ["admin", "viewer"] as const) expect((await file("paypal", who)).status).toBe(403);
  expect((await files("admin")).status).toBe(403);
  for (const site of ["cross-site", "same-site"]) {
    expect(code(await file("paypal", "owner", { "Sec-Fetch-Site": site }))).toBe("403 cross_site");
  }
  expect((await file("paypal", "owner", { "Sec-Fetch-Site": "same-origin" })).status).toBe(200);
  expect(await downloads()).toHaveLength(1);
});

test("a draft and a canceled payout have no pay files, and a paid payout's files omit failed lines", async () => {
  const first = await open();
  expect(code(await first.file("paypal"))).toBe("409 payout_not_final");
  expect(code(await first.files())).toBe("409 payout_not_final");
  await first.finalize(first.id);
  await first.cancel(first.id);
  expect(code(await first.file("paypal"))).toBe("409 payout_closed");
  expect(code(await first.files())).toBe("409 payout_closed");
  expect(await first.downloads()).toEqual([]);

  const { id, confirm, fail, file, files, partners } = await open();
  await confirm(id);
  expect((await file("paypal")).status).toBe(200);
  await fail(id, partners[0]?.id ?? 0);
  await fail(id, partners[5]?.id ?? 0);
  expect(code(await file("paypal"))).toBe("409 nothing_for_format");
  expect(inWords(await files())).toEqual(["paypal 0 0 ", "wise 1 1001 ", "sepa 1 1002 no_payer", "rest 2 2007"]);
});

test("a payout has no pay file for a payment service that doesn't accept the payout's currency", async () => {
  const { id, finalize, pay, file, files } = await open("KWD");
  await finalize(id);
  await pay();
  for (const format of ["paypal", "wise", "sepa"]) expect(code(await file(format))).toBe("409 nothing_for_format");
  expect(inWords(await files())).toEqual([
    ...["paypal 1 1000 currency", "wise 1 1001 currency", "sepa 2 2005 currency"],
    "rest 2 2009",
  ]);
});

test("a request for an unknown part of a pay file, or an unknown payout, is refused", { tags: "soak" }, async () => {
  const { id, finalize, file } = await open();
  await finalize(id);
  expect(code(await file("paypal&part=2"))).toBe("409 nothing_for_format");
  for (const part of ["0", "11", "x"]) expect((await file(`paypal&part=${part}`)).status).toBe(400);
  expect((await people.owner.get(`/api/programs/1/payouts/999999999/files`)).status).toBe(404);
});
