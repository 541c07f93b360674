"use client";

import { useEffect, useState } from "react";
import { loadTracker, type TrackerOptions } from "./browser.ts";

/**
 * The visitor's click id, to be sent to your server with the sign-up. Undefined on the server, until the script has
 * dealt with the landing, and for a visitor without a click. Loads the script as `loadTracker` does.
 */
export function useClickId(programId: number | string, options: TrackerOptions): string | undefined {
  const [clickId, setClickId] = useState<string>();
  // The script is loaded once for a page, so nothing that changes later would matter.
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
