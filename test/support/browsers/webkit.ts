import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout } from "node:timers/promises";
import { type Program, startProgram } from "./program.ts";
import { asJson, type BrowserOptions, parsed, type RealBrowser, viewport } from "./tab.ts";

// Drives WebKitGTK's MiniBrowser by WebDriver: https://www.w3.org/TR/webdriver2/

type Send = <Value = unknown>(method: "POST" | "GET" | "DELETE", path: string, body?: object) => Promise<Value>;

interface Session {
  readonly sessionId: string;
}

/** Returns a function that sends commands to the driver. */
const commandsTo =
  (driver: string): Send =>
  async <Value>(method: string, path: string, body?: object) => {
    const response = await fetch(driver + path, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const { value } = (await response.json()) as { value: Value & { error?: string; message?: string } };
    if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
    return value;
  };

/** Starts a virtual screen in memory, because this browser has no headless mode. */
const startScreen = (command: string) =>
  startProgram({
    command,
    args: ["-displayfd", "1", "-screen", "0", "800x1400x24", "-nolisten", "tcp"],
    says: /^(\d+)$/m,
  });

/** The driver can't choose a port by itself. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** The paths of the programs. */
interface Programs {
  readonly driver: string;
  readonly screen: string;
  readonly browser: string;
}

async function startDriver(
  command: string,
  screen: Program,
): Promise<{ readonly driver: Program; readonly send: Send }> {
  const port = await freePort();
  const driver = await startProgram({
    ...{ command, args: [`--port=${port}`] },
    env: { DISPLAY: `:${screen.said}`, GDK_BACKEND: "x11" },
  });
  const send = commandsTo(`http://127.0.0.1:${port}`);
  while (
    !(await send("GET", "/status").then(
      () => true,
      () => false,
    ))
  )
    await setTimeout(20);
  return { driver, send };
}

/** The key of an element's id in the protocol: https://www.w3.org/TR/webdriver2/#elements */
const elementKey = "element-6066-11e4-a52e-4f735466cecf";

export async function openWebKit(
  programs: Programs,
  { theme, blocksThirdParties }: BrowserOptions,
): Promise<RealBrowser> {
  const screen = await startScreen(programs.screen);
  const { driver, send } = await startDriver(programs.driver, screen);
  const args = [
    "--automation",
    // Blocks all cookies of third parties, as Epiphany and Safari do by default.
    "--enable-itp",
    ...(blocksThirdParties ? ["--enable-html5-local-storage=false", "--enable-html5-database=false"] : []),
    ...(theme === "dark" ? ["--dark-mode"] : []),
  ];
  const { sessionId } = await send<Session>("POST", "/session", {
    capabilities: { alwaysMatch: { "webkitgtk:browserOptions": { binary: programs.browser, args } } },
  });
  const session = `/session/${sessionId}`;
  const post = <Value>(path: string, body: object) => send<Value>("POST", `${session}/${path}`, body);
  await post("window/rect", viewport);

  /** Directs further commands at the page, or at its first frame. */
  const enter = async (frame: 0 | null) => {
    await post("frame", { id: null });
    if (frame !== null) await post("frame", { id: frame });
  };
  const run = async <T>(frame: 0 | null, expression: string) => {
    await enter(frame);
    const script = `const done = arguments[0];
      ${asJson(expression)}.then((value) => done({ value }), (error) => done({ error: String(error) }))`;
    const { value, error } = await post<{ value?: string; error?: string }>("execute/async", { script, args: [] });
    if (error !== undefined) throw new Error(error);
    return parsed<T>(value);
  };
  const click = async (frame: 0 | null, expression: string) => {
    await enter(frame);
    const found = await post<Record<string, string>>("execute/sync", { script: `return ${expression}`, args: [] });
    await post(`element/${found[elementKey]}/click`, {});
  };
  return {
    tab: {
      open: async (url) => {
        await enter(null);
        await post("url", { url });
      },
      run: (expression) => run(null, expression),
      runInFrame: (expression) => run(0, expression),
      click: (element) => click(null, element),
      clickInFrame: (element) => click(0, element),
    },
    close: async () => {
      await send("DELETE", session);
      await driver.stop();
      await screen.stop();
    },
  };
}
