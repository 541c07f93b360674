import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sampled } from "../support/breadth.ts";
import { command, type Environment } from "./command.ts";
import { answer, type Behaviour, cut, type Received, refusal, serverThat } from "./server-that.ts";

const cli = command();
const withKey: Environment = { TRIBUTARY_API_KEY: `svc_1_${"k".repeat(43)}` };

interface SentRow {
  readonly line: number;
}

const rowsOf = ({ body }: Pick<Received, "body">) => body.rows as readonly SentRow[];

const created: Behaviour = (response, call) => {
  const rows = rowsOf(call).map(({ line }) => ({ line, result: "created" }));
  answer(200, { data: { rows } })(response, call);
};

const partners = async (count: number): Promise<string> => {
  const rows = Array.from({ length: count }, (_, i) => `p${i},code${i}\n`);
  await writeFile(join(cli.directory, "partners.csv"), `name,code\n${rows.join("")}`);
  return "partners.csv";
};
const write = (file: string, text: string) => writeFile(join(cli.directory, file), text);

test("import checks all rows before it imports any", async () => {
  const { url, calls } = await serverThat(created);
  const { code } = await cli.run(["import", "partners", await partners(150), "--yes", "--url", url], withKey);
  expect(code).toBe(0);
  expect(calls.map(({ path }) => path)).toEqual(Array(4).fill("/api/v1/programs/me/imports/rows"));
  expect(calls.map(({ body }) => [body.dry_run, rowsOf({ body }).length])).toEqual([
    [true, 100],
    [true, 50],
    [false, 100],
    [false, 50],
  ]);
  expect(calls[0]?.body).toMatchObject({ kind: "partners", source: "CSV file", update: false });
});

test("import sends a call again that gets no reply or is rate limited", async () => {
  const { url, calls } = await serverThat(
    created,
    cut,
    refusal(429, "Too many requests.", { "retry-after": "1" }),
    refusal(503, "The service is restarting.", { "retry-after": "1" }),
    created,
  );
  const file = await partners(3);
  const { code, out, err } = await cli.run(["import", "partners", file, "--yes", "--url", url, "--json"], withKey);
  expect(err).toBe("");
  expect(code).toBe(0);
  expect(out.split("\n").filter(Boolean)).toHaveLength(2);
  expect(calls).toHaveLength(5);
  for (const { body } of calls.slice(1)) expect(body).toEqual({ ...calls[0]?.body, dry_run: false });
});

test("import explains after an interruption how to continue", async () => {
  let release = () => {};
  const slow: Behaviour = (response, call) => {
    release = () => created(response, call);
  };
  const { url, calls } = await serverThat(created, created, slow, created);
  const running = cli.start(["import", "partners", await partners(150), "--yes", "--url", url], withKey);
  await expect.poll(() => calls.length).toBe(3);
  running.kill("SIGINT");
  await expect.poll(running.err).toContain("Stopping after this call.");
  release();
  const { code, out, err } = await running.ended;
  expect(err).toContain(
    "Stopped: 50 of 150 rows weren't answered. Run the same command again: rows that were imported",
  );
  expect(out).toMatch(/Imported\n {2}created +100\n/);
  expect(calls).toHaveLength(3);
  expect(code).toBe(130);
});

test("import exits with 3 if no service responds, and with 1 if a call is refused", { tags: "soak" }, async () => {
  const file = await partners(1);
  const nobody = await cli.run(["import", "partners", file, "--yes", "--url", "http://127.0.0.1:9"], withKey);
  expect(nobody).toMatchObject({ code: 3, err: expect.stringContaining("Service not reached.") });
  const { url } = await serverThat(created, refusal(413, "The body is too large."));
  const refused = await cli.run(["import", "partners", file, "--yes", "--url", url], withKey);
  expect(refused.err).toContain("✗ The body is too large.\nStopped: 1 of 1 rows weren't answered.");
  expect(refused.code).toBe(1);
});

test.each(
  sampled(
    [
      [["import"], "Name what the file holds: partners, customers, coupons, balances."],
      [["import", "partner", "x.csv"], "Name what the file holds: partners, customers, coupons, balances."],
      [["import", "partners"], "No file given."],
      [["import", "partners", "none.csv"], "There is no file none.csv."],
      [["import", "partners", "bad.csv"], "bad.csv: Line 2 isn't valid UTF-8. Save the file as CSV in UTF-8."],
      [
        ["import", "partners", "own.csv"],
        "There is no terminal to ask on. Pass --yes to import, or --dry-run to check.",
      ],
      [
        ["import", "customers", "own.csv"],
        "The file has no column for customer_key, partner_code. Its columns are: name",
      ],
      [
        ["import", "partners", "own.csv", "--preset", "rewardfull"],
        'Unknown preset "rewardfull". Did you mean rewardful?',
      ],
      [
        ["import", "partners", "own.csv", "--preset", "x"],
        "Presets: rewardful, firstpromoter, tolt, partnerstack, dub.",
      ],
      [["import", "partners", "own.csv", "--map", "name"], "--map name: write column=Header"],
      [["import", "partners", "own.csv", "--map", "nam=x"], "There is no column nam. Columns: name, code,"],
      [
        ["import", "partners", "own.csv", "--map", "name=x"],
        'The file has no column "x". Its columns are: name, code.',
      ],
      [["import", "partners", "own.csv", "--date-order", "ymd"], "--date-order must be dmy or mdy."],
      [["import", "partners", "own.csv", "--decimal-sign", ","], "--decimal-sign must be point or comma."],
      [["import", "partners", "own.csv", "--source", "x".repeat(41)], "--source must have 1 to 40 characters."],
      [["import", "partners", "own.csv", "--refused", "./own.csv"], "must be two different files."],
      [["import", "partners", "own.csv", "--refused", "none/x.csv"], "There is no folder for --refused none/x.csv."],
      [["export"], "Name what to export: partners, customers."],
      [["export", "balances"], "Name what to export: partners, customers."],
      [["export", "partners", "--json"], "--json needs --out"],
    ],
    4,
  ),
)("import sends nothing after wrong usage: %s", async (args, said) => {
  await write("own.csv", "name,code\nA,aa\n");
  await writeFile(join(cli.directory, "bad.csv"), Buffer.from("name,code\nJos\xe9,jose\n", "latin1"));
  const { url, calls } = await serverThat(created);
  const { code, out, err } = await cli.run([...args, "--url", url], withKey);
  expect(err).toContain(said);
  expect({ code, out, calls }).toEqual({ code: 2, out: "", calls: [] });
});

const csv =
  (text: string, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  (response) => {
    response.writeHead(200, { "content-type": "text/csv; charset=utf-8", ...headers });
    response.end(text);
  };

test("export writes all pages to standard output or to a file", async () => {
  const pages = [csv("name,code\r\nÄ,a\r\n", { "x-next-cursor": "c+1" }), csv("B,b\r\n")] as const;
  const { url, calls } = await serverThat(pages[0], refusal(503, "Restarting.", { "retry-after": "1" }), pages[1]);
  const { code, out, err } = await cli.run(["export", "partners", "--url", url], withKey);
  expect({ code, out, err }).toEqual({ code: 0, out: "name,code\r\nÄ,a\r\nB,b\r\n", err: "" });
  expect(calls.map(({ path }) => path)).toEqual([
    "/api/v1/programs/me/export?kind=partners",
    "/api/v1/programs/me/export?kind=partners&cursor=c%2B1",
    "/api/v1/programs/me/export?kind=partners&cursor=c%2B1",
  ]);
  const again = await serverThat(...pages);
  const toFile = await cli.run(["export", "customers", "--out", "out.csv", "--json", "--url", again.url], withKey);
  expect(toFile).toMatchObject({ code: 0, out: '{"kind":"customers","file":"out.csv"}\n' });
  expect(await readFile(join(cli.directory, "out.csv"), "utf8")).toBe(`\uFEFF${out}`);
});

test("a failed export leaves the existing file unchanged", { tags: "soak" }, async () => {
  await write("kept.csv", "before");
  const { url } = await serverThat(csv("name,code\r\n", { "x-next-cursor": "c" }), refusal(403, "No."));
  const { code, out, err } = await cli.run(["export", "partners", "--out", "kept.csv", "--url", url], withKey);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toContain("✗ No.");
  expect(await readFile(join(cli.directory, "kept.csv"), "utf8")).toBe("before");
  const elsewhere = await serverThat(answer(200, "<h1>Hello</h1>", { "content-type": "text/html" }));
  const html = await cli.run(["export", "partners", "--out", "kept.csv", "--url", elsewhere.url], withKey);
  expect(html).toMatchObject({ code: 3, err: expect.stringContaining("no answer from Tributary (200, text/html)") });
});
