import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { profileFolder, startProgram } from "./program.ts";
import { asJson, type BrowserOptions, parsed, type RealBrowser, viewport } from "./tab.ts";

// Drives Firefox by WebDriver BiDi: https://www.w3.org/TR/webdriver-bidi/

type Send = <Result = unknown>(method: string, params: object) => Promise<Result>;

interface Evaluated {
  readonly type: "success" | "exception";
  readonly result?: { readonly value?: unknown; readonly sharedId?: string };
  readonly exceptionDetails?: { readonly text: string };
}

interface Tree {
  readonly contexts: readonly {
    readonly context: string;
    readonly children: readonly { readonly context: string }[];
  }[];
}

async function connect(address: string): Promise<Send> {
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", reject);
  });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  socket.addEventListener("message", ({ data }) => {
    const { id, type, result, error, message } = JSON.parse(String(data));
    const call = waiting.get(id);
    waiting.delete(id);
    if (type === "success") call?.resolve(result);
    else call?.reject(new Error(`${error}: ${message}`));
  });
  return <Result>(method: string, params: object) => {
    const call = Promise.withResolvers<unknown>();
    last += 1;
    waiting.set(last, call);
    socket.send(JSON.stringify({ id: last, method, params }));
    return call.promise as Promise<Result>;
  };
}

/** https://searchfox.org/mozilla-central/source/netwerk/cookie/nsICookieService.idl */
const cookieBehavior = { rejectThirdParty: 1, partitionThirdParty: 5 };

function preferences({ theme, blocksThirdParties }: BrowserOptions): string {
  const { rejectThirdParty, partitionThirdParty } = cookieBehavior;
  const values = {
    "network.cookie.cookieBehavior": blocksThirdParties ? rejectThirdParty : partitionThirdParty,
    "layout.css.prefers-color-scheme.content-override": theme === "dark" ? 0 : 1,
  };
  return Object.entries(values)
    .map(([name, value]) => `user_pref("${name}", ${value});\n`)
    .join("");
}

export async function openFirefox(command: string, options: BrowserOptions): Promise<RealBrowser> {
  const profile = await profileFolder();
  await writeFile(join(profile.path, "user.js"), preferences(options));
  const program = await startProgram({
    command,
    args: ["--headless", "--no-remote", "--profile", profile.path, "--remote-debugging-port", "0"],
    says: /WebDriver BiDi listening on (\S+)/,
  });
  const send = await connect(`${program.said}/session`);
  await send("session.new", { capabilities: {} });
  const { contexts } = await send<Tree>("browsingContext.getTree", {});
  const top = contexts[0]?.context ?? "";
  await send("browsingContext.setViewport", { context: top, viewport });

  const frame = async () => {
    const tree = await send<Tree>("browsingContext.getTree", { root: top });
    const found = tree.contexts[0]?.children[0]?.context;
    if (found === undefined) throw new Error("the page has no frame");
    return found;
  };
  const evaluate = async (context: string, expression: string) => {
    const { result, exceptionDetails } = await send<Evaluated>("script.evaluate", {
      ...{ expression, target: { context }, awaitPromise: true, resultOwnership: "root" },
    });
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text);
    return result;
  };
  const run = async <T>(context: string, expression: string) =>
    parsed<T>((await evaluate(context, asJson(expression)))?.value);
  const click = async (context: string, expression: string) => {
    const element = await evaluate(context, `{ const it = ${expression}; it.scrollIntoView({ block: "center" }); it }`);
    const origin = { type: "element", element: { sharedId: element?.sharedId } };
    const actions = [
      { type: "pointerMove", x: 0, y: 0, origin },
      { type: "pointerDown", button: 0 },
      { type: "pointerUp", button: 0 },
    ];
    await send("input.performActions", { context, actions: [{ type: "pointer", id: "mouse", actions }] });
  };
  const open = async (url: string) => {
    // The command also fails if the page navigates to another one or if a frame in it is refused. Firefox has two names
    // for a refused frame.
    await send("browsingContext.navigate", { context: top, url, wait: "complete" }).catch((error: Error) => {
      if (!/BINDING_ABORTED|FRAME_ANCESTOR_VIOLATION|Address rejected/.test(error.message)) throw error;
    });
  };
  return {
    tab: {
      open,
      run: (expression) => run(top, expression),
      runInFrame: async (expression) => run(await frame(), expression),
      click: (element) => click(top, element),
      clickInFrame: async (element) => click(await frame(), element),
    },
    close: async () => {
      await program.stop();
      await profile.remove();
    },
  };
}
