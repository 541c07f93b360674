import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { openApiDocument } from "#routes/openapi/document.ts";
import { embedDocument } from "#routes/openapi/embed-document.ts";
import { sessionDocument } from "#routes/openapi/member-document.ts";
import { partnerDocument } from "#routes/openapi/partner-document.ts";
import { node, root } from "../../scripts/root.ts";

interface Problem {
  readonly ruleId: string;
  readonly location: readonly { readonly source: { readonly ref: string }; readonly pointer: string }[];
}

interface Report {
  readonly problems: readonly Problem[];
}

/** The only allowed findings: health checks have no input, so they document no 4xx response, and two calls redirect. */
const allowed = [
  ...["healthz", "readyz"].map((path) => `operation-4xx-response openapi.json #/paths/~1${path}/get/responses`),
  ...["oidc", "oidc~1callback"].map(
    (path) => `operation-2xx-response session.json #/paths/~1api~1auth~1${path}/get/responses`,
  ),
];

test("the OpenAPI documents follow Redocly's recommended rules", async () => {
  const cli = join(root, "node_modules/@redocly/cli/bin/cli.js");
  const folder = await mkdtemp(join(tmpdir(), "tributary-lint-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const documents = {
    openapi: openApiDocument(),
    session: sessionDocument(),
    partner: partnerDocument(),
    embed: embedDocument(),
  };
  const files = Object.entries(documents).map(([name, document]) => {
    const file = `${name}.json`;
    writeFileSync(join(folder, file), JSON.stringify(document));
    return file;
  });
  const options = ["--extends", "recommended", "--format", "json", "--max-problems", "1000"];
  const { stdout } = await promisify(execFile)(node, [cli, "lint", ...options, ...files], {
    cwd: folder,
    env: { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    maxBuffer: 1 << 26,
  }).catch((error: { readonly stdout: string }) => error);
  // The output has a JSON value for each file, one after the other.
  const reports: readonly Report[] = JSON.parse(`[${stdout.replaceAll("\n}{\n", "\n},{\n")}]`);
  expect(reports).toHaveLength(files.length);
  const found = reports.flatMap(({ problems }) =>
    problems.map(({ ruleId, location: [at] }) => `${ruleId} ${at?.source.ref} ${at?.pointer}`),
  );
  expect(found).toEqual(allowed);
});
