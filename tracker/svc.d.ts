/** The tracker's API on the page, as `window.svc`. No call throws or takes longer than five seconds. */
export interface Svc {
  /** The visitor's click on a partner's link, to send to your server with the sign-up; undefined without a click. */
  getClickId(): string | undefined;
  /**
   * Reports a sign-up from the page, for programs that accept leads from a browser. `customerKey` is your own stable id
   * for the customer, the same as for sales. It must not be guessable, because anyone can send such a lead. The lead is
   * unconfirmed until your server reports the same customer. As soon as your leads come from a backend, set
   * `leadAuth: "server_required"`. Without a click, nothing is sent. A lead that could not be sent is retried, even from
   * the next page.
   */
  signup(customerKey: string, email?: string): Promise<void>;
  /**
   * Treats a URL (default: the page's) as a landing: records its partner's code unless the visitor has clicked the same
   * partner's link in the last 24 hours. Resolves to the visitor's click id.
   */
  trackClick(url?: string): Promise<string | undefined>;
  /** The tracker's stored data. */
  getData(): SvcData;
  /** Stores the visitor's answer to a consent banner. `false` erases everything else that was stored. */
  consent(isGiven: boolean): void;
  /** If true, every step is logged, and sign-ups are reported as test leads. */
  debug: boolean;
  /** Resolves once the landing is handled: the click is recorded, none was needed, or it could not be sent for now. */
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

/** A call of `window.svc` that works before the script has loaded. */
export type SvcCall =
  | readonly ["signup", customerKey: string, email?: string]
  | readonly ["trackClick", url?: string]
  | readonly ["consent", isGiven: boolean];

declare global {
  interface Window {
    /** Undefined until the script has loaded; always undefined if a blocker stops it. */
    svc?: Svc;
    /** `(window.svcQueue = window.svcQueue || []).push(["signup", "customer-1"])` works before and after loading. */
    svcQueue?: SvcCall[] | { push(...calls: SvcCall[]): unknown };
  }
}
