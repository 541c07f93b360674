import manifest from "../package.json" with { type: "json" };

export const release = manifest.version;
