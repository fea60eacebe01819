import { readGaussian } from "./gaussian.js";
import { READERS } from "./registry.js";
// Not in the bundle for pages: no client answers a survey with delta above 0.
READERS.set("gaussian", readGaussian);
