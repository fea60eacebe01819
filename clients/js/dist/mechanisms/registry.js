import { readBinned } from "./binned.js";
import { readChoiceResponse, readChoiceSubsets, readDrawnOption } from "./choices.js";
import { readFixedHashing } from "./fixedhashing.js";
import { readHaar } from "./haar.js";
import { readHadamardResponse } from "./hadamard.js";
import { readHierarchy } from "./hierarchy.js";
import { readKeyValue } from "./keyvalue.js";
import { readDegreeNoise, readLaplace } from "./laplace.js";
import { readLocalHashing } from "./localhashing.js";
import { readMemoized } from "./memoized.js";
import { readQuestionSets } from "./questionsets.js";
import { readRandomizedResponse } from "./response.js";
import { readRounding } from "./rounding.js";
import { readSampledCoordinate } from "./sampled.js";
import { readSensitiveHashing, readSensitiveResponse, readSensitiveSubsets } from "./sensitive.js";
import { readSeededHashing } from "./seededhashing.js";
import { readSubsetSelection } from "./subset.js";
import { readTable } from "./table.js";
import { readUnaryEncoding } from "./unary.js";
import { readPiecewise, readSquareWave, readWave } from "./waves.js";
/** Every mechanism without delta by its explaining name; `withdelta.ts` adds the one that has it. */
export const READERS = new Map([
    ["binned", readBinned],
    ["choice-response", readChoiceResponse],
    ["choice-subsets", readChoiceSubsets],
    ["drawn-option", readDrawnOption],
    ["degree-noise", readDegreeNoise],
    ["fixed-hashing", readFixedHashing],
    ["haar", readHaar],
    ["hadamard-response", readHadamardResponse],
    ["hierarchy", readHierarchy],
    ["key-value", readKeyValue],
    ["laplace", readLaplace],
    ["local-hashing", readLocalHashing],
    ["memoized", readMemoized],
    ["piecewise", readPiecewise],
    ["question-sets", readQuestionSets],
    ["randomized-response", readRandomizedResponse],
    ["sampled-coordinate", readSampledCoordinate],
    ["seeded-hashing", readSeededHashing],
    ["sensitive-hashing", readSensitiveHashing],
    ["sensitive-response", readSensitiveResponse],
    ["sensitive-subsets", readSensitiveSubsets],
    ["square-wave", readSquareWave],
    ["stochastic-rounding", readRounding],
    ["subset-selection", readSubsetSelection],
    ["table", readTable],
    ["unary-encoding", readUnaryEncoding],
    ["wave", readWave],
]);
