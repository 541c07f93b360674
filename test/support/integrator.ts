import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { node } from "../../scripts/root.ts";

/** An integrator's machine: an empty project, npm with its defaults and an empty cache, and no registry. */
export interface Integrator {
  readonly project: string;
  /** Resolves with the standard output. */
  shell(
    text: string,
    options?: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> },
  ): Promise<string>;
  dispose(): Promise<void>;
}

export async function newIntegrator(): Promise<Integrator> {
  const directory = await mkdtemp(join(tmpdir(), "tributary-integrator-"));
  const [home, project] = [join(directory, "home"), join(directory, "project")];
  for (const folder of [home, project]) await mkdir(folder);
  await writeFile(join(project, "package.json"), '{"name":"shop","private":true}');
  const environment = {
    PATH: `${dirname(node)}:${process.env.PATH}`,
    HOME: home,
    npm_config_registry: "http://127.0.0.1:1/",
    npm_config_fetch_retries: "0",
    npm_config_audit: "false",
    npm_config_update_notifier: "false",
  };
  return {
    project,
    shell: async (text, { cwd = project, env = {} } = {}) =>
      (await promisify(execFile)("sh", ["-ec", text], { cwd, env: { ...environment, ...env } })).stdout,
    dispose: () => rm(directory, { recursive: true, force: true }),
  };
}
