import { existsSync, globSync } from "node:fs";
import { inject } from "vitest";
import { isWhole } from "../breadth.ts";
import { openChromium } from "./chromium.ts";
import { openFirefox } from "./firefox.ts";
import type { BrowserOptions, RealBrowser } from "./tab.ts";
import { openWebKit } from "./webkit.ts";

interface TestedBrowser {
  readonly name: string;
  /** False if this machine lacks a program that the browser's tests need. */
  readonly isInstalled: boolean;
  open(options: BrowserOptions): Promise<RealBrowser>;
}

const firefox = ["/usr/bin/firefox-esr", "/usr/bin/firefox"].find((path) => existsSync(path));
const [miniBrowser] = globSync(["/usr/lib/*/webkit2gtk-4.*/MiniBrowser", "/usr/lib/*/webkitgtk-6.*/MiniBrowser"]);
const webKit = { driver: "/usr/bin/WebKitWebDriver", screen: "/usr/bin/Xvfb", browser: miniBrowser ?? "MiniBrowser" };

function areHere(name: string, programs: readonly string[]): boolean {
  const lacking = programs.filter((path) => !existsSync(path));
  if (isWhole && lacking.length > 0) console.info(`Skipped: the tests in ${name} need ${lacking.join(", ")}`);
  return lacking.length === 0;
}

/** The browsers of the three engines that current browsers use. `README.md` lists the packages that have them. */
export const testedBrowsers: readonly TestedBrowser[] = [
  { name: "Chromium", isInstalled: true, open: (options) => openChromium(inject("chromium"), options) },
  {
    name: "Firefox",
    isInstalled: areHere("Firefox", [firefox ?? "firefox-esr"]),
    open: (options) => openFirefox(firefox ?? "", options),
  },
  {
    name: "WebKitGTK",
    isInstalled: areHere("WebKitGTK", Object.values(webKit)),
    open: (options) => openWebKit(webKit, options),
  },
];
