// Node loads simplan itself: it is no part of the bundles, and the build is shorter.
export default { serverExternalPackages: ["simplan"] }
