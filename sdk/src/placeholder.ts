const placeholder = /^(["'`]?)(?:undefined|null|NULL|NaN|None|\[object .*\]|\{\{.*\}\}|\$\{.*\})\1$/s;

export const noPlaceholder = "must be an id, not a placeholder such as undefined or {{id}}";

/** Texts that programs send if an id is missing. The service refuses the same texts. */
export const isPlaceholder = (id: string): boolean => placeholder.test(id);
