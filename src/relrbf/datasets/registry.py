"""The data sets that are known: files, public addresses, checksums, citations, licences.

A checksum of a file stands here only where the file was at hand. Of the originals, which are
fetched, the checksum of the arrays that are read from them is known, and verified.
"""

from relrbf.datasets import readers
from relrbf.datasets.entry import Entry, File, Source

GITHUB = "https://raw.githubusercontent.com"
SOM = f"{GITHUB}/mohammedkhalilia/SOM/2ede689899879d2dcec68ce54846a02b3f8f7eef/Data"
VOTES = f"{GITHUB}/tigner13/MachineLearningDataStructures/0b7f108d8dd4ce0736439223219a5930c4e01b15"
HEART = f"{GITHUB}/EyedBread/naive-bayes/994f04619bf639588777b184cf1dfe65a9eab8f1"
MICROARRAY = f"{GITHUB}/ramhiser/datamicroarray/a95f6f68ed3debf48ee54f198435fa12aa655b16/data"
EVCLUST = f"{GITHUB}/cran/evclust/db11b91c67df32b4d2584f9d06cc4e2c7681c5fa/data"
MATRICES = (
    f"{GITHUB}/Lcrypto/Classical-and-Quantum-Topology-ML-toric-spherical/"
    "068427e220a4e21b676020c306ade6b68cbd9d67/LDPC_PEG_ACE_SF_CHORD_TSVD/square_matrices/dense_graph"
)

BC_569 = Entry(
    "BC-569",
    "02ed550d31c374c657d8c506c66d1c379a88f45a63e779d77dbc3b27406dc4a6",
    (),
    "W. N. Street, W. H. Wolberg, O. L. Mangasarian: Nuclear feature extraction for breast tumor "
    "diagnosis. SPIE 1905, 861-870, 1993.",
    "It comes with scikit-learn, and to it from the UCI repository.",
)
USC_435 = Entry(
    "USC-435",
    "ffc78906d78d6f0c2dc75f165740c52a4ba775a73ca1562339bac0983ee7b81d",
    (
        Source(
            (
                File(
                    "USC-435.npz",
                    sha256="a9cff9705a49c37af2f220c0d85b018c91e840a959e95b50d74e77bf008aaec8",
                    size=2605,
                ),
            ),
            readers.votes_archive,
        ),
        Source(
            (
                File(
                    "house_votes_84.csv",
                    sha256="403595ecfde59868dc519759c05cd81ffcd9a9e5c96eac14c40f517c52437419",
                    size=18530,
                ),
            ),
            readers.votes_table,
        ),
        Source((File("house-votes-84.data", f"{VOTES}/house-votes-84.data"),), readers.votes_table),
    ),
    "J. C. Schlimmer: Concept acquisition through representational adjustment. PhD thesis, "
    "University of California, Irvine, 1987. Congressional Quarterly Almanac, 98th Congress, 1984.",
    "None stated where the public copy lies; it stems from the UCI repository.",
)
HD_303 = Entry(
    "HD-303",
    "eed237df107a22dd49b14c79d9b8d159b6e65c053ed5990ced27046379bf02f5",
    (
        Source(
            (
                File(
                    "processed_cleveland.csv",
                    sha256="5c99aeb16595995c188c4e57527c4a4572c4f04fcbff039ea140c9246f4f3bd9",
                    size=19138,
                ),
            ),
            readers.heart_table,
        ),
        Source(
            (File("processed.cleveland.data", f"{HEART}/processed.cleveland.data"),),
            readers.heart_table,
        ),
    ),
    "R. Detrano et al.: International application of a new probability algorithm for the diagnosis "
    "of coronary artery disease. American Journal of Cardiology 64, 304-310, 1989.",
    "None stated where the public copy lies; it stems from the UCI repository.",
)
HG_194 = Entry(
    "HG-194",
    "643b0c3513c2b69ca7b39565d32e9a25c1cb155e47897527f40caf444c5783af",
    (
        Source(
            (
                File(
                    "HG-194.npz",
                    sha256="007164fcc3e73f75594e0510ae6b2f08e50e1e1d2151dc40dd2b1f4891aac920",
                    size=4876,
                ),
                File(
                    "objects.csv",
                    sha256="a1e47b6439fc1266108f0d2d9b2234c783da2e90ebd0ceea78c97bbd77546c54",
                    size=21705,
                ),
            ),
            readers.genes_archive,
        ),
        Source(
            (
                File("go194_ju13_fms.mat", f"{SOM}/go194_ju13_fms.mat"),
                File("data194.mat", f"{SOM}/data194.mat"),
            ),
            readers.genes_matlab,
        ),
    ),
    "M. Popescu, J. M. Keller, J. A. Mitchell: Fuzzy measures on the gene ontology for gene "
    "product similarity. IEEE/ACM Transactions on Computational Biology and Bioinformatics 3(3), "
    "263-274, 2006. The matrix: M. Khalilia, M. Popescu, FUZZ-IEEE 2012.",
    "None stated where the public copy lies.",
)
PC_102 = Entry(
    "PC-102",
    "0c1137e02296f56f96e02a3fe13a50569eeefe87531c3aa5e2653735ae09f0ce",
    (
        Source(
            (
                File(
                    "PC-102_raw12600.npz",
                    sha256="de3acdb506aeb5b348e3a01c6842f7bdf91418911385043b1c32c738c1283fc5",
                    size=1759413,
                ),
            ),
            readers.profiles_archive,
        ),
        Source((File("singh.RData", f"{MICROARRAY}/singh.RData"),), readers.profiles_r),
    ),
    "D. Singh et al.: Gene expression correlates of clinical prostate cancer behavior. Cancer Cell "
    "1(2), 203-209, 2002.",
    "MIT, as the package datamicroarray.",
)
PROTEIN_213 = Entry(
    "protein-213",
    "81b41e366d454576d72a1e85ee4f3b9ef791157f43be41d160ae993c3a77ba59",
    (
        Source(
            (
                File(
                    "protein-213.npz",
                    sha256="c912c26d28e76398edcfc8643bc499277816b14975c04f0b5b2b7f1b39bc4021",
                    size=57558,
                ),
            ),
            readers.proteins_archive,
        ),
        Source((File("protein.RData", f"{EVCLUST}/protein.RData"),), readers.proteins_r),
    ),
    "T. Hofmann, J. Buhmann: Pairwise data clustering by deterministic annealing. IEEE PAMI 19(1), "
    "1-14, 1997. T. Graepel et al.: Classification on pairwise proximity data. NIPS 11, 438-444, "
    "1999.",
    "GPL-3, as the R package evclust.",
)
YEAST_200 = Entry(
    "yeast-200",
    "fe2dba9f726cb255068ea9e0a46e5b5a418aebb14d775b98b3cd6b302ccdaaaa",
    (
        Source(
            (
                File(
                    "yeast-200.npz",
                    sha256="dcda963f4cbe2b7d865780935789bda4b8f0e7326380fa243fb3018a72be8837",
                    size=314732,
                ),
            ),
            readers.yeast_archive,
        ),
        Source((File("Yeast.mat", f"{MATRICES}/Yeast.mat"),), readers.yeast_matlab),
    ),
    "Y. Chen, E. K. Garcia, M. R. Gupta, A. Rahimi, L. Cazzanti: Similarity-based classification: "
    "concepts and algorithms. JMLR 10, 747-776, 2009; similarities of G. R. G. Lanckriet et al., "
    "2004.",
    "Apache-2.0, as the repository of the public copy.",
)
ENTRIES = (BC_569, USC_435, HD_303, HG_194, PC_102, PROTEIN_213, YEAST_200)
