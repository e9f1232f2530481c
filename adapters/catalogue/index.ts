/**
 * The catalogue of countries, operators and standard profiles: the built-in one, and the file that
 * can replace it.
 */
export * as CatalogueFile from "./CatalogueFile.ts"
export * as StandardCatalogue from "./StandardCatalogue.ts"
