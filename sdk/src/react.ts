"use client";

import { useEffect, useState } from "react";
import { loadTracker, type TrackerOptions } from "./browser.ts";

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
