import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ExplainedError } from "../command.ts";
import { node, root } from "../root.ts";

const run = promisify(execFile);
const maxBuffer = 1 << 28;

/** A program that runs in a commit's folder, and imports that commit's own modules. */
const program = `
  import { writeFileSync } from "node:fs";
  import { openApiDocument } from "#routes/openapi/document.ts";
  import { sessionDocument } from "#routes/openapi/member-document.ts";
  import { partnerDocument } from "#routes/openapi/partner-document.ts";
  // Commits without embedded pages don't have this document.
  const { embedDocument = () => null } = await import("#routes/openapi/embed-document.ts").catch(() => ({}));
  const documents = {
    openapi: openApiDocument(),
    session: sessionDocument(),
    partner: partnerDocument(),
    embed: embedDocument(),
  };
  for (const [name, document] of Object.entries(documents))
    writeFileSync(process.argv[1] + "/" + name + ".json", JSON.stringify(document, undefined, 2) + "\\n");`;

async function writeDocuments(tree: string, folder: string): Promise<void> {
  await mkdir(folder);
  await run(node, ["--input-type=module", "--eval", program, folder], { cwd: tree });
}

async function extract(commit: string, tree: string): Promise<void> {
  await mkdir(tree);
  const archive = `${tree}.tar`;
  await run("git", ["archive", "--output", archive, commit], { cwd: root }).catch(() => {
    throw new ExplainedError(`git knows no commit ${commit}.`);
  });
  await run("tar", ["-xf", archive, "-C", tree]);
  await symlink(join(root, "node_modules"), join(tree, "node_modules"));
}

/**
 * Returns how the OpenAPI documents differ from those of a commit, as `git diff` prints it. Empty if they don't
 * differ.
 */
export async function documentChanges(commit: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tributary-openapi-"));
  try {
    await extract(commit, join(folder, "tree"));
    await Promise.all([
      writeDocuments(join(folder, "tree"), join(folder, "a")),
      writeDocuments(root, join(folder, "b")),
    ]);
    const args = ["diff", "--no-index", "--no-prefix", "a", "b"];
    // `git diff` exits with 1 if the files differ.
    return await run("git", args, { cwd: folder, maxBuffer }).then(
      () => "",
      ({ stdout }: { readonly stdout: string }) => stdout.trimEnd(),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
