/** A tab of a real browser. Expressions are JavaScript, and their values must be JSON. Promises are awaited. */
export interface Tab {
  /** Opens the page, and waits until it has loaded. */
  open(address: string): Promise<void>;
  run<T = unknown>(expression: string): Promise<T>;
  /** Evaluates the expression in the page's first frame. */
  runInFrame<T = unknown>(expression: string): Promise<T>;
  /** Clicks the element that the expression returns, as a person would. */
  click(element: string): Promise<void>;
  clickInFrame(element: string): Promise<void>;
}

export interface RealBrowser {
  readonly tab: Tab;
  close(): Promise<void>;
}

export interface BrowserOptions {
  readonly theme: "dark" | "light";
  /** Blocks the cookies and, except in Chromium, the storage of third parties. If false, the browser's defaults apply. */
  readonly blocksThirdParties: boolean;
}

/** The width of the narrowest phones, and a height. */
export const viewport = { width: 320, height: 900 };

/** Returns an expression that evaluates to the value of another as JSON text. */
export const asJson = (expression: string): string => `(async () => JSON.stringify(await (${expression})))()`;

export const parsed = <T>(text: unknown): T => (typeof text === "string" ? JSON.parse(text) : undefined) as T;
