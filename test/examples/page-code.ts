import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { blocksOf, readDocument } from "../support/documents.ts";
import type { Integrator } from "../support/integrator.ts";

export interface Delivery {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Environment variables during this delivery. Null removes the variable. */
  readonly env?: Readonly<Record<string, string | null>>;
}

export interface PageRun {
  /** The name of a page in the folder docs, without .md. */
  readonly page: string;
  /** The name of the function that receives deliveries. */
  readonly handler: string;
  readonly deliveries: readonly Delivery[];
  readonly env: Readonly<Record<string, string>>;
  /** Replaces the page's values with the test's values. */
  readonly own?: (code: string) => string;
}

/**
 * The program that runs the page's code. After a response of 503, it sends the delivery again, after all other
 * deliveries.
 */
const driver = ({ page, handler }: PageRun) => `
import { readFileSync } from "node:fs";
import { ${handler} as handle } from "./${page}.ts";

async function deliver({ body, headers, env = {} }) {
  for (const [name, value] of Object.entries(env)) {
    if (value === null) delete process.env[name];
    else process.env[name] = value;
  }
  const answer = await handle(new Request("https://shop.example/webhook", { method: "POST", body, headers }));
  return answer.status + " " + (await answer.text());
}

const answers = [];
let left = JSON.parse(readFileSync("${page}.json", "utf8"));
for (let round = 0; left.length > 0 && round < 4; round += 1) {
  const again = [];
  for (const each of left) {
    const answer = await deliver(each);
    if (round === 0) answers.push(answer);
    if (answer.startsWith("503")) again.push(each);
  }
  left = again;
}
process.stdout.write(JSON.stringify({ answers, left: left.length }));
`;

/**
 * Runs a guide's code with these deliveries. Returns the first response to each, and the number of deliveries that were
 * never accepted.
 */
export async function runPage(
  { project, shell }: Integrator,
  run: PageRun,
): Promise<{ readonly answers: readonly string[]; readonly left: number }> {
  const { page, deliveries, env, own = (code) => code } = run;
  const code = blocksOf(readDocument(`docs/${page}.md`)).flatMap(({ language, text }) =>
    language === "ts" ? text : [],
  );
  await writeFile(join(project, `${page}.ts`), own(code.join("\n")));
  await writeFile(join(project, `${page}.json`), JSON.stringify(deliveries));
  await writeFile(join(project, `${page}-run.mjs`), driver(run));
  return JSON.parse(await shell(`node ${page}-run.mjs 2> ${page}.log`, { env }));
}
