/**
 * Names of query parameters that may contain a partner's code instead of `aff`, such as in links from another affiliate
 * program. `aff_sub` and `utm_*` are excluded because they have other meanings.
 */
export const codeParamForm = /^(?!aff(?:_sub)?$|utm_)[a-z0-9_-]{1,20}$/;
