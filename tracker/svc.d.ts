/** The tracker's API on the page, `window.svc`. No call throws or takes longer than five seconds. */
export interface Svc {
  /**
   * Returns the id of the visitor's click on a partner's link. Send it to your server with the sign-up. Undefined
   * without a click.
   */
  getClickId(): string | undefined;
  /**
   * Reports a sign-up from the page, for programs that accept leads from a browser. `customerKey` is your own stable id
   * for the customer, the same as for sales. It must not be guessable, because anyone can send such a lead. The lead is
   * unconfirmed until your server reports the same customer. As soon as your backend sends leads, set
   * `leadAuth: "server_required"`. Without a click, nothing is sent. If a lead can't be sent, it is retried, even from
   * the next page.
   */
  signup(customerKey: string, email?: string): Promise<void>;
  /**
   * Treats a URL (by default the page's) as a landing. Records the click on its partner's link, unless the visitor has
   * clicked a link of the same partner in the last 24 hours. Resolves to the visitor's click id.
   */
  trackClick(url?: string): Promise<string | undefined>;
  /** Returns the tracker's stored data. */
  getData(): SvcData;
  /** Stores the visitor's answer to a consent banner. `false` erases all other stored data. */
  consent(isGiven: boolean): void;
  /** If true, the tracker logs every step and reports sign-ups as test leads. */
  debug: boolean;
  /** Resolves once the landing is handled: the click was recorded, isn't needed, or can't be sent for now. */
  ready: Promise<void>;
}

export interface SvcData {
  readonly programId: string;
  readonly clickId: string | undefined;
  /** The visitor's clicks, newest last. */
  readonly clickIds: readonly string[];
  /** The partner's code in lower case. */
  readonly partnerCode: string | undefined;
}

/** A call of `window.svc` that also works before the script has loaded. */
export type SvcCall =
  | readonly ["signup", customerKey: string, email?: string]
  | readonly ["trackClick", url?: string]
  | readonly ["consent", isGiven: boolean];

declare global {
  interface Window {
    /** Undefined until the script has loaded. It stays undefined if a blocker prevents loading. */
    svc?: Svc;
    /** `(window.svcQueue = window.svcQueue || []).push(["signup", "customer-1"])` works before and after loading. */
    svcQueue?: SvcCall[] | { push(...calls: SvcCall[]): unknown };
  }
}
