import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { node } from "../../scripts/root.ts";

/** Simulates an integrator's machine: an empty project, npm with its defaults and an empty cache, and no registry. */
export interface Integrator {
  readonly project: string;
  /** Runs the command, and resolves with its standard output. */
  shell(
    text: string,
    options?: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> },
  ): Promise<string>;
  dispose(): Promise<void>;
}

/**
 * Creates a project with the SDK as `npm install <url>` installs it. It only copies the files, because npm takes ten
 * times as long. `test/sdk/package.test.ts` runs npm.
 */
export async function integratorWithSdk(url: string): Promise<Integrator> {
  const integrator = await newIntegrator();
  const modules = join(integrator.project, "node_modules");
  const [sdk, commands] = [join(modules, "tributary-sdk"), join(modules, ".bin")];
  for (const folder of [sdk, commands]) await mkdir(folder, { recursive: true });
  const packed = join(modules, "sdk.tgz");
  await writeFile(packed, Buffer.from(await (await fetch(url)).arrayBuffer()));
  await promisify(execFile)("tar", ["-xzf", packed, "-C", sdk, "--strip-components", "1"]);
  await rm(packed);
  const { bin } = JSON.parse(await readFile(join(sdk, "package.json"), "utf8")) as { bin: Record<string, string> };
  for (const [name, file] of Object.entries(bin)) {
    await chmod(join(sdk, file), 0o755);
    await symlink(join(sdk, file), join(commands, name));
  }
  return integrator;
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
