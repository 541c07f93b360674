/** What the tracker offers to the page it runs in, as `window.svc`. No call throws, and none waits longer than five seconds. */
export interface Svc {
  /** The visitor's click on a partner's link, to be sent to your server with the sign-up; undefined without one. */
  getClickId(): string | undefined;
  /**
   * Reports a sign-up from the page, for programs that take leads from a browser. `customerKey` is your own stable id of
   * the customer, the same as for sales, and must not be guessable: anyone can send such a lead. It is unconfirmed until
   * your server reports the same customer. As soon as your leads come from a backend, `leadAuth: "server_required"` is
   * the better setting. Without a click there is nothing to report, and nothing is sent. One that could not be sent is
   * sent again, also from the next page.
   */
  signup(customerKey: string, email?: string): Promise<void>;
  /**
   * Treats a URL (default: the page's) as a landing: its `aff` is recorded unless the visitor has a click on the same
   * partner's link that is younger than 24 hours. Gives the visitor's click id afterwards.
   */
  trackClick(url?: string): Promise<string | undefined>;
  /** What the tracker knows and keeps. */
  getData(): SvcData;
  /** The visitor's answer to a consent banner. It is remembered; `false` erases everything else that was stored. */
  consent(isGiven: boolean): void;
  /** Whether every step is logged, and sign-ups are reported as test leads. */
  debug: boolean;
  /** Fulfilled once the landing was dealt with: the click is recorded, none was needed, or it could not be sent for now. */
  ready: Promise<void>;
}

export interface SvcData {
  readonly programId: string;
  readonly clickId: string | undefined;
  /** The visitor's clicks, newest last. */
  readonly clickIds: readonly string[];
  /** In lower case. */
  readonly partnerCode: string | undefined;
}

/** A call of `window.svc`, for a page that cannot know whether the script has loaded. */
export type SvcCall =
  | readonly ["signup", customerKey: string, email?: string]
  | readonly ["trackClick", url?: string]
  | readonly ["consent", isGiven: boolean];

declare global {
  interface Window {
    /** Undefined until the script has loaded, and for ever where a blocker keeps it out. */
    svc?: Svc;
    /** `(window.svcQueue = window.svcQueue || []).push(["signup", "customer-1"])` works before and after. */
    svcQueue?: SvcCall[] | { push(...calls: SvcCall[]): unknown };
  }
}
