"use client";

import { createElement, type ReactElement, useEffect, useRef, useState } from "react";
import { loadTracker, type TrackerOptions } from "./browser.ts";
import { mountReferrals, type ReferralOptions } from "./embed.ts";

/**
 * The visitor's click id, to send to your server with the sign-up. Undefined on the server, until the script has
 * handled the landing, and for a visitor without a click. Loads the script like `loadTracker`.
 */
export function useClickId(programId: number | string, options: TrackerOptions): string | undefined {
  const [clickId, setClickId] = useState<string>();
  // The script is loaded once per page, so later changes would have no effect.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    let isGone = false;
    // biome-ignore lint/nursery/noFloatingPromises: neither promise rejects
    loadTracker(programId, options).then(async (svc) => {
      await svc?.ready;
      if (!isGone) setClickId(svc?.getClickId());
    });
    return () => {
      isGone = true;
    };
  }, []);
  return clickId;
}

/** The referral page in a `div`, shown by `mountReferrals` of `tributary-sdk/embed`. On a server, an empty `div`. */
export function Referrals({
  className,
  ...options
}: ReferralOptions & { readonly className?: string | undefined }): ReactElement {
  const element = useRef<HTMLDivElement>(null);
  // A render may pass a new `fetchToken`, and the frame must not reload because of it.
  const latest = useRef(options);
  latest.current = options;
  const { service, embedId, theme } = options;
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above; a theme is compared by its values
  useEffect(() => {
    if (!element.current) return undefined;
    return mountReferrals(element.current, {
      ...{ service, embedId, theme },
      fetchToken: () => latest.current.fetchToken(),
    });
  }, [service, embedId, JSON.stringify(theme)]);
  return createElement("div", { ref: element, className });
}
